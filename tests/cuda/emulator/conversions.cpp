// cvt and mov: from one type to another, and between registers.
#include "numbers.h"

namespace emulator {

namespace {

template <class To, class From> To convert(From a) { return To(a); }  // reals round to nearest even
f32 floor_of(f32 a) { return std::floor(a); }

// Towards 0, to the closest that there is; NaN gives 0, or the lowest bit pattern if 64 bits take part.
template <class To, class From> To truncate(From a) {
  using limits = std::numeric_limits<To>;
  if (std::isnan(a)) return sizeof(To) + sizeof(From) > 8 ? To(u64(1) << (8 * sizeof(To) - 1)) : To(0);
  if (a >= From(limits::max())) return limits::max();
  if (a <= From(limits::min())) return limits::min();
  return To(a);
}

two<f16> convert_two(f32 high, f32 low) { return {f16(low), f16(high)}; }

template <class T> T copy(T a) { return a; }
template <class Half, class Whole> Whole pack(Half low, Half high) {
  return Whole(Whole(high) << 8 * sizeof(Half) | low);
}
template <class Half, class Whole>
void unpack(Warp& w, const Instruction& i, Mask mask) {
  uint64_t *low = w.lanes(i.slot[0]), *high = w.lanes(i.slot[1]), *from = w.lanes(i.slot[2]);
  each(mask, [&](int lane) {
    Whole whole = get<Whole>(from[lane]);
    put(low[lane], Half(whole));
    put(high[lane], Half(whole >> 8 * sizeof(Half)));
  });
}

// To another integer, and to reals.
template <class T>
void add_integer(Table& t, const std::string& type) {
  if constexpr (sizeof(T) > 2) add<convert<u16, T>, T>(t, "cvt.u16" + type);
  if constexpr (sizeof(T) != 4) add<convert<u32, T>, T>(t, "cvt.u32" + type);
  if constexpr (sizeof(T) < 8) add<convert<u64, T>, T>(t, "cvt.u64" + type);
  if constexpr (sizeof(T) < 4) add<convert<s32, T>, T>(t, "cvt.s32" + type);
  if constexpr (sizeof(T) < 8) add<convert<s64, T>, T>(t, "cvt.s64" + type);
  add<convert<f32, T>, T>(t, "cvt.rn.f32" + type);
  add<convert<f64, T>, T>(t, "cvt.rn.f64" + type);
}

}  // namespace

void add_conversions(Table& t) {
  add<convert<f32, f16>, f16>(t, "cvt.f32.f16");
  add<convert<f16, f32>, f32>(t, "cvt.rn.f16.f32");
  add<convert_two, f32, f32>(t, "cvt.rn.f16x2.f32");
  add<floor_of, f32>(t, "cvt.rmi.f32.f32");
  add<convert<f64, f32>, f32>(t, "cvt.f64.f32");
  add<convert<f32, f64>, f64>(t, "cvt.rn.f32.f64");
  add<convert<s16, s8>, s8>(t, "cvt.s16.s8");
  add<convert<s32, s8>, s8>(t, "cvt.s32.s8");
  add_integer<s16>(t, ".s16");
  add_integer<u16>(t, ".u16");
  add_integer<s32>(t, ".s32");
  add_integer<u32>(t, ".u32");
  add_integer<s64>(t, ".s64");
  add_integer<u64>(t, ".u64");
  add<truncate<s32, f32>, f32>(t, "cvt.rzi.s32.f32");
  add<truncate<s64, f32>, f32>(t, "cvt.rzi.s64.f32");
  add<truncate<s32, f64>, f64>(t, "cvt.rzi.s32.f64");
  add<truncate<s64, f64>, f64>(t, "cvt.rzi.s64.f64");

  add<copy<u16>, u16>(t, "mov.b16");
  add<copy<u32>, u32>(t, "mov.b32");
  add<copy<u32>, u32>(t, "mov.u32");
  add<copy<u64>, u64>(t, "mov.b64");
  add<copy<u64>, u64>(t, "mov.pred");
  t["mov.b32 r,{2}"] = {Kind::kPlain, lanewise<pack<u16, u32>, u16, u16>};
  t["mov.b64 r,{2}"] = {Kind::kPlain, lanewise<pack<u32, u64>, u32, u32>};
  t["mov.b32 {2},r"] = {Kind::kPlain, unpack<u16, u32>, 2};
  t["mov.b64 {2},r"] = {Kind::kPlain, unpack<u32, u64>, 2};
}

}  // namespace emulator
