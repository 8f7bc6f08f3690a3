// The types of PTX, and helpers to write rows of the table of instructions.
#pragma once
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "machine.h"

namespace emulator {

using s8 = int8_t;
using s16 = int16_t;
using u8 = uint8_t;
using u16 = uint16_t;
using s32 = int32_t;
using u32 = uint32_t;
using s64 = int64_t;
using u64 = uint64_t;
using f16 = _Float16;
using f32 = float;
using f64 = double;

struct bf16 {  // stored; computed with as f32
  u16 bits;
  explicit operator f32() const {
    u32 wide = u32(bits) << 16;
    f32 value;
    memcpy(&value, &wide, 4);
    return value;
  }
};

template <class T>
struct two {  // f16x2, f32x2
  T low, high;
};

// d = f(a, b, ..) in every lane.
template <auto f, class... From>
void lanewise(Warp& w, const Instruction& i, Mask mask) {
  [&]<size_t... n>(std::index_sequence<n...>) {
    uint64_t* d = w.lanes(i.slot[0]);
    const uint64_t* from[] = {w.lanes(i.slot[n + 1])...};
    each(mask, [&](int lane) { put(d[lane], f(get<From>(from[n][lane])...)); });
  }(std::index_sequence_for<From...>());
}

// A row for it: the name, and as many operands as `f` takes and gives.
template <auto f, class... From>
void add(Table& t, const std::string& name, Unknown unknown = Unknown::kFollows) {
  std::string form = name + " r";
  for (size_t n = 0; n < sizeof...(From); ++n) form += ",r";
  t[form] = {Kind::kPlain, lanewise<f, From...>, 1, unknown};
}

}  // namespace emulator
