// Loads and stores, and what the lanes of a warp do together: shuffles and matrix products.
#include "numbers.h"

namespace emulator {

namespace {

enum class Space { kGlobal, kReadOnly, kShared, kLocal };

template <Space space>
char* place(Warp& w, const Instruction& i, int lane, uint64_t address, unsigned size, const void* value,
            Bytes& known) {
  if constexpr (space == Space::kGlobal || space == Space::kReadOnly)
    return access_global(w, i, lane, address, size, value, space == Space::kReadOnly, known);
  Region& region = space == Space::kShared ? w.block->shared : w.local[lane];
  return access(w, i, lane, region, address, address, size, value, known);
}

// Of what is not known, nor is it when it has been stored.
template <Space space>
void forget(Warp& w, const Instruction& i, int lane, uint64_t address, unsigned size) {
  if constexpr (space == Space::kGlobal) {
    Allocation* a = memory().find(address);
    if (a->stored_unknown.empty()) a->stored_unknown = where(w, i, lane);
    a->set_initialised(address - a->address, size, 0);
  } else {
    (space == Space::kShared ? w.block->shared : w.local[lane]).set_initialised(address, size, 0);
  }
}

template <Space space, class T, int count>
void load(Warp& w, const Instruction& i, Mask mask) {
  const uint64_t* base = w.lanes(i.slot[count]);
  each(mask, [&](int lane) {
    T values[count] = {};
    Bytes known;
    const char* from = place<space>(w, i, lane, base[lane] + i.offset, sizeof values, nullptr, known);
    for (unsigned n = 0; n < sizeof values; ++n)
      if (known >> n & 1) reinterpret_cast<char*>(values)[n] = from[n];
    constexpr Bytes all = (Bytes(1) << sizeof(T)) - 1;
    for (unsigned n = 0; n < count; ++n) {
      if (~known >> n * sizeof(T) & all) w.any_unknown = true, w.unknown[i.slot[n]] |= Mask(1) << lane;
      uint64_t& d = w.lanes(i.slot[n])[lane];
      if constexpr (std::is_signed_v<T>) put(d, s64(values[n]));  // the register may be wider
      else put(d, values[n]);
    }
  });
}

template <Space space, class T, int count>
void store(Warp& w, const Instruction& i, Mask mask) {
  const uint64_t* base = w.lanes(i.slot[0]);
  each(mask, [&](int lane) {
    T values[count];
    for (int n = 0; n < count; ++n) values[n] = get<T>(w.lanes(i.slot[n + 1])[lane]);
    Bytes known;
    memcpy(place<space>(w, i, lane, base[lane] + i.offset, sizeof values, values, known), values, sizeof values);
    for (unsigned n = 0; w.any_unknown && n < count; ++n)
      if (w.unknown[i.slot[n + 1]] >> lane & 1)
        forget<space>(w, i, lane, base[lane] + i.offset + n * sizeof(T), sizeof(T));
  });
}

// Of an address that is the offset among the parameters.
template <class T>
void load_parameter(Warp& w, const Instruction& i, Mask mask) {
  const std::vector<char>& parameters = w.block->launch->parameters;
  uint64_t *d = w.lanes(i.slot[0]), *base = w.lanes(i.slot[1]);
  each(mask, [&](int lane) {
    uint64_t at = base[lane] + i.offset;
    if (at > parameters.size() || at + sizeof(T) > parameters.size())
      fault(w, i, lane, kIllegalAddress, "out of bounds: it reads past the parameters");
    T value;
    memcpy(&value, parameters.data() + at, sizeof value);
    put(d[lane], value);
  });
}

// Every lane gets the value of the lane whose number differs in the bits of b.
void shuffle_butterfly(Warp& w, const Instruction& i, Mask mask) {
  uint64_t *d = w.lanes(i.slot[0]), *a = w.lanes(i.slot[1]), *b = w.lanes(i.slot[2]), *c = w.lanes(i.slot[3]);
  uint64_t source[32];
  memcpy(source, a, sizeof source);
  Mask unknown = w.unknown[i.slot[1]];
  each(mask, [&](int lane) {
    int segment = c[lane] >> 8 & 31, last = (lane & segment) | (c[lane] & 31 & ~segment);
    int from = lane ^ int(b[lane] & 31);
    if (from > last) from = lane;
    Mask takes_part = get<u32>(w.lanes(i.slot[4])[lane]);
    if (!(mask >> from & 1) || !(takes_part >> from & 1) || !(takes_part >> lane & 1))
      fault(w, i, lane, kLaunchFailed, "it reads a lane that takes no part, " + std::to_string(from));
    put(d[lane], u32(source[from]));
    Mask &result = w.unknown[i.slot[0]], bit = Mask(1) << lane;
    result = unknown >> from & 1 ? result | bit : result & ~bit;
  });
}

// d = a @ b + c, of 16 x 16, 16 x 8: who holds which elements is the PTX manual's "matrix fragments
// for mma.m16n8k16". Products are exact; how a tensor core rounds sums is not documented: here once.
template <class T>
void multiply(Warp& w, const Instruction& i, Mask mask) {
  if (mask != kAll) fault(w, i, __builtin_ctz(~mask), kLaunchFailed, "lanes are missing");
  f64 a[16][16], b[16][8], d[16][8];
  bool unknown_row[16] = {}, unknown_column[8] = {}, unknown[16][8];
  auto is_unknown = [&](int slot, int lane) { return w.unknown[i.slot[slot]] >> lane & 1; };
  auto half = [&](int slot, int lane, int n) {
    uint64_t bits = w.lanes(i.slot[slot])[lane] >> 16 * n;
    return f64(f32(get<T>(bits)));
  };
  auto element = [](int lane, int n, auto f) { f(lane / 4 + n / 2 * 8, lane % 4 * 2 + n % 2); };
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane / 4, member = lane % 4;
    for (int n = 0; n < 8; ++n) {
      int row = group + n / 2 % 2 * 8;
      a[row][member * 2 + n % 2 + n / 4 * 8] = half(4 + n / 2, lane, n % 2);
      unknown_row[row] |= is_unknown(4 + n / 2, lane);
    }
    for (int n = 0; n < 4; ++n) {
      b[member * 2 + n % 2 + n / 2 * 8][group] = half(8 + n / 2, lane, n % 2);
      unknown_column[group] |= is_unknown(8 + n / 2, lane);
      element(lane, n, [&](int row, int column) {
        d[row][column] = get<f32>(w.lanes(i.slot[10 + n])[lane]);
        unknown[row][column] = is_unknown(10 + n, lane);
      });
    }
  }
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 8; ++column)
      for (int k = 0; k < 16; ++k) d[row][column] += a[row][k] * b[k][column];
  for (int lane = 0; lane < 32; ++lane)
    for (int n = 0; n < 4; ++n)
      element(lane, n, [&](int row, int column) {
        put(w.lanes(i.slot[n])[lane], f32(d[row][column]));
        Mask &result = w.unknown[i.slot[n]], bit = Mask(1) << lane;
        bool lost = unknown[row][column] || unknown_row[row] || unknown_column[column];
        result = lost ? result | bit : result & ~bit;
      });
}

template <Space space, class T, int count>
void add_load(Table& t, const std::string& name, const std::string& type) {
  std::string vector = count > 1 ? ".v" + std::to_string(count) : "";
  std::string operand = count > 1 ? "{" + std::to_string(count) + "}" : "r";
  t["ld" + name + vector + type + " " + operand + ",[]"] = {Kind::kPlain, load<space, T, count>, count, Unknown::kLoads};
}

template <Space space, class T, int count>
void add_store(Table& t, const std::string& name, const std::string& type) {
  std::string vector = count > 1 ? ".v" + std::to_string(count) : "";
  std::string operand = count > 1 ? "{" + std::to_string(count) + "}" : "r";
  t["st" + name + vector + type + " []," + operand] = {Kind::kPlain, store<space, T, count>, 0, Unknown::kStores};
}

template <Space space, class T, int... counts>
void add_loads(Table& t, const std::string& name, const std::string& type) {
  (add_load<space, T, counts>(t, name, type), ...);
}

template <Space space, class T, int... counts>
void add_stores(Table& t, const std::string& name, const std::string& type) {
  (add_store<space, T, counts>(t, name, type), ...);
}

// Up to 16 bytes at once.
template <Space space>
void add_space(Table& t, const std::string& name) {
  add_loads<space, u8, 1, 2, 4>(t, name, ".b8");
  add_loads<space, u16, 1, 2, 4>(t, name, ".b16");
  add_loads<space, u32, 1, 2, 4>(t, name, ".b32");
  add_loads<space, u64, 1, 2>(t, name, ".b64");
  if constexpr (space != Space::kReadOnly) {
    add_stores<space, u8, 1, 2, 4>(t, name, ".b8");
    add_stores<space, u16, 1, 2, 4>(t, name, ".b16");
    add_stores<space, u32, 1, 2, 4>(t, name, ".b32");
    add_stores<space, u64, 1, 2>(t, name, ".b64");
  }
}

}  // namespace

void add_transfers(Table& t) {
  add_space<Space::kGlobal>(t, ".global");
  add_space<Space::kReadOnly>(t, ".global.nc");
  add_space<Space::kReadOnly>(t, ".const");
  add_space<Space::kShared>(t, ".shared");
  add_space<Space::kLocal>(t, ".local");
  add_loads<Space::kReadOnly, s32, 1>(t, ".global.nc", ".s32");
  for (std::string space : {".param", ".param::entry"}) {
    t["ld" + space + ".b32 r,[]"] = {Kind::kPlain, load_parameter<u32>, 1, Unknown::kLoads};
    t["ld" + space + ".b64 r,[]"] = {Kind::kPlain, load_parameter<u64>, 1, Unknown::kLoads};
  }
  t["shfl.sync.bfly.b32 r,r,r,r,r"] = {Kind::kTogether, shuffle_butterfly, 1, Unknown::kItself};
  t["mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {4},{4},{2},{4}"] = {Kind::kTogether, multiply<f16>, 4, Unknown::kItself};
  t["mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {4},{4},{2},{4}"] = {Kind::kTogether, multiply<bf16>, 4, Unknown::kItself};
}

}  // namespace emulator
