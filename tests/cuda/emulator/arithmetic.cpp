// Arithmetic, comparison, selection, bits. Sums and products round to nearest even, as IEEE 754 has it.
#include "numbers.h"

namespace emulator {

namespace {

template <class T> T plus(T a, T b) { return T(a + b); }
template <class T> T minus(T a, T b) { return T(a - b); }
template <class T> T times(T a, T b) { return T(a * b); }
template <class T> T over(T a, T b) { return T(a / b); }
template <class T> T fused(T a, T b, T c) { return std::fma(a, b, c); }
template <class T> T negative(T a) { return -a; }
template <class T> T absolute(T a) { return std::fabs(a); }
template <class T> T reciprocal(T a) { return T(1) / a; }

// Of the upper half of the bits, in the upper half; subnormal numbers are 0. PTX states no accuracy: the rest is cut off.
f64 gross_reciprocal(f64 a) {
  constexpr u64 upper = ~u64(0) << 32, infinity = u64(0x7ff) << 52;
  auto kept = [](f64 x) {
    u64 bits;
    memcpy(&bits, &x, 8);
    bits &= bits & infinity ? upper : u64(1) << 63;
    memcpy(&x, &bits, 8);
    return x;
  };
  return kept(1 / kept(a));
}

template <class T> two<T> plus_two(two<T> a, two<T> b) { return {T(a.low + b.low), T(a.high + b.high)}; }
template <class T> two<T> minus_two(two<T> a, two<T> b) { return {T(a.low - b.low), T(a.high - b.high)}; }
template <class T> two<T> times_two(two<T> a, two<T> b) { return {T(a.low * b.low), T(a.high * b.high)}; }

// Integers wrap around: they are computed without sign.
template <class T> T wrapped_plus(T a, T b) { return T(u64(a) + u64(b)); }
template <class T> T wrapped_minus(T a, T b) { return T(u64(a) - u64(b)); }
template <class T> T wrapped_times(T a, T b) { return T(u64(a) * u64(b)); }
template <class T> T multiply_add(T a, T b, T c) { return T(u64(a) * u64(b) + u64(c)); }
template <class T, class Wide> Wide times_wide(T a, T b) { return Wide(a) * Wide(b); }
template <class T> T times_high(T a, T b) {  // of 16 and 32 bits
  return T(s64(u64(s64(a)) * u64(s64(b))) >> 8 * sizeof(T));
}
template <class T> T quotient(T a, T b) {  // towards 0; by 0 it is not defined
  if (b == 0) return T(-1);
  return std::is_signed_v<T> && b == T(-1) ? T(0 - u64(a)) : T(a / b);
}
template <class T> T remainder(T a, T b) {
  if (b == 0) return a;
  return std::is_signed_v<T> && b == T(-1) ? T(0) : T(a % b);
}

// Without .NaN the other operand is the result; -0 is less than 0.
template <class T> T least(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? a : b;
  }
  return a < b ? a : b;
}
template <class T> T most(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a)) return b;
    if (std::isnan(b)) return a;
    if (a == b) return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}
f32 least_or_nan(f32 a, f32 b) { return std::isnan(a) || std::isnan(b) ? a + b : least(a, b); }
f32 most_or_nan(f32 a, f32 b) { return std::isnan(a) || std::isnan(b) ? a + b : most(a, b); }
s32 most_or_0(s32 a, s32 b) { return most(most(a, b), 0); }

template <class T> T bits_and(T a, T b) { return a & b; }
template <class T> T bits_or(T a, T b) { return a | b; }
template <class T> T bits_xor(T a, T b) { return a ^ b; }
template <class T> T bits_not(T a) { return T(~a); }
u64 not_predicate(u64 a) { return !(a & 1); }

template <class T> T left(T a, u32 n) { return n < 8 * sizeof(T) ? T(u64(a) << n) : T(0); }
template <class T> T right(T a, u32 n) {
  constexpr u32 last = 8 * sizeof(T) - 1;
  if (n > last) return std::is_signed_v<T> ? T(a >> last) : T(0);
  return T(a >> n);
}
u32 extract(u32 a, u32 position, u32 length) {
  position &= 255, length &= 255;
  u64 shifted = position < 32 ? u64(a) >> position : 0;
  return u32(length < 32 ? shifted & ((u64(1) << length) - 1) : shifted);
}
u32 permute(u32 a, u32 b, u32 selector) {
  u64 bytes = a | u64(b) << 32;
  u32 result = 0;
  for (int n = 0; n < 4; ++n) {
    u32 select = selector >> 4 * n & 15;
    u8 byte = u8(bytes >> 8 * (select & 7));
    if (select & 8) byte = byte & 128 ? 255 : 0;  // its sign, repeated
    result |= u32(byte) << 8 * n;
  }
  return result;
}

template <class T> u64 eq(T a, T b) { return a == b; }
template <class T> u64 ne(T a, T b) { return a < b || a > b; }  // false for NaN
template <class T> u64 lt(T a, T b) { return a < b; }
template <class T> u64 le(T a, T b) { return a <= b; }
template <class T> u64 gt(T a, T b) { return a > b; }
template <class T> u64 ge(T a, T b) { return a >= b; }
template <class T> u64 equ(T a, T b) { return !(a < b || a > b); }  // "u": true for NaN
template <class T> u64 neu(T a, T b) { return !(a == b); }
template <class T> u64 ltu(T a, T b) { return !(a >= b); }
template <class T> u64 leu(T a, T b) { return !(a > b); }
template <class T> u64 gtu(T a, T b) { return !(a <= b); }
template <class T> u64 geu(T a, T b) { return !(a < b); }
template <class T> u64 num(T a, T b) { return a == a && b == b; }
template <class T> u64 nan(T a, T b) { return a != a || b != b; }

template <class T> T choose(T a, T b, u64 predicate) { return predicate & 1 ? a : b; }

f32 wide(f16 a) { return f32(a); }

// Families: the same operations on several types.

template <class T>
void add_order(Table& t, const std::string& type) {
  add<least<T>, T, T>(t, "min" + type);
  add<most<T>, T, T>(t, "max" + type);
  add<lt<T>, T, T>(t, "setp.lt" + type);
  add<le<T>, T, T>(t, "setp.le" + type);
  add<gt<T>, T, T>(t, "setp.gt" + type);
  add<ge<T>, T, T>(t, "setp.ge" + type);
}

template <class T>
void add_reals(Table& t, const std::string& type) {
  add<plus<T>, T, T>(t, "add.rn" + type);
  add<minus<T>, T, T>(t, "sub.rn" + type);
  add<times<T>, T, T>(t, "mul.rn" + type);
  add<fused<T>, T, T, T>(t, "fma.rn" + type);
  add<over<T>, T, T>(t, "div.rn" + type);
  add<reciprocal<T>, T>(t, "rcp.rn" + type);
  add<negative<T>, T>(t, "neg" + type);
  add<absolute<T>, T>(t, "abs" + type);
  add_order<T>(t, type);
  add<eq<T>, T, T>(t, "setp.eq" + type);
  add<ne<T>, T, T>(t, "setp.ne" + type);
  add<equ<T>, T, T>(t, "setp.equ" + type);
  add<neu<T>, T, T>(t, "setp.neu" + type);
  add<ltu<T>, T, T>(t, "setp.ltu" + type);
  add<leu<T>, T, T>(t, "setp.leu" + type);
  add<gtu<T>, T, T>(t, "setp.gtu" + type);
  add<geu<T>, T, T>(t, "setp.geu" + type);
  add<num<T>, T, T>(t, "setp.num" + type);
  add<nan<T>, T, T>(t, "setp.nan" + type);
  add<choose<T>, T, T, u64>(t, "selp" + type, Unknown::kSelected);
}

template <class T>
void add_packed(Table& t, const std::string& type) {
  add<plus_two<T>, two<T>, two<T>>(t, "add.rn" + type);
  add<minus_two<T>, two<T>, two<T>>(t, "sub.rn" + type);
  add<times_two<T>, two<T>, two<T>>(t, "mul.rn" + type);
}

template <class T>
void add_integers(Table& t, const std::string& type) {
  add_order<T>(t, type);
  add<quotient<T>, T, T>(t, "div" + type);
  add<remainder<T>, T, T>(t, "rem" + type);
  add<right<T>, T, u32>(t, "shr" + type);
  if constexpr (std::is_signed_v<T>) {
    add<[](T a) { return T(0 - u64(a)); }, T>(t, "neg" + type);
    add<[](T a) { return a < 0 ? T(0 - u64(a)) : a; }, T>(t, "abs" + type);
  }
  if constexpr (sizeof(T) < 8) add<times_high<T>, T, T>(t, "mul.hi" + type);
}

// What is the same with a sign and without.
template <class T>
void add_bits(Table& t, const std::string& bits) {
  const std::string sign = ".s" + bits, type = ".b" + bits;
  add<wrapped_plus<T>, T, T>(t, "add" + sign);
  add<wrapped_minus<T>, T, T>(t, "sub" + sign);
  add<wrapped_times<T>, T, T>(t, "mul.lo" + sign);
  add<multiply_add<T>, T, T, T>(t, "mad.lo" + sign);
  add<bits_and<T>, T, T>(t, "and" + type);
  add<bits_or<T>, T, T>(t, "or" + type);
  add<bits_xor<T>, T, T>(t, "xor" + type);
  add<bits_not<T>, T>(t, "not" + type);
  add<left<T>, T, u32>(t, "shl" + type);
  add<eq<T>, T, T>(t, "setp.eq" + type);
  add<ne<T>, T, T>(t, "setp.ne" + type);
  add<choose<T>, T, T, u64>(t, "selp" + type, Unknown::kSelected);
}

}  // namespace

void add_arithmetic(Table& t) {
  add_reals<f32>(t, ".f32");
  add_reals<f64>(t, ".f64");
  add<gross_reciprocal, f64>(t, "rcp.approx.ftz.f64");
  add<least_or_nan, f32, f32>(t, "min.NaN.f32");
  add<most_or_nan, f32, f32>(t, "max.NaN.f32");
  add<plus<f16>, f16, f16>(t, "add.rn.f16");
  add<minus<f16>, f16, f16>(t, "sub.rn.f16");
  add<times<f16>, f16, f16>(t, "mul.rn.f16");
  add_packed<f16>(t, ".f16x2");
  add_packed<f32>(t, ".f32x2");
  add<[](f16 a, f32 b) { return wide(a) + b; }, f16, f32>(t, "add.rn.f32.f16");
  add<[](f16 a, f32 b) { return wide(a) - b; }, f16, f32>(t, "sub.rn.f32.f16");
  add<[](f16 a, f16 b, f32 c) { return std::fma(wide(a), wide(b), c); }, f16, f16, f32>(t, "fma.rn.f32.f16");

  add_integers<s16>(t, ".s16");
  add_integers<u16>(t, ".u16");
  add_integers<s32>(t, ".s32");
  add_integers<u32>(t, ".u32");
  add_integers<s64>(t, ".s64");
  add_integers<u64>(t, ".u64");
  add_bits<u16>(t, "16");
  add_bits<u32>(t, "32");
  add_bits<u64>(t, "64");
  add<wrapped_plus<u64>, u64, u64>(t, "add.u64");
  add<times_wide<s16, s32>, s16, s16>(t, "mul.wide.s16");
  add<times_wide<u16, u32>, u16, u16>(t, "mul.wide.u16");
  add<times_wide<s32, s64>, s32, s32>(t, "mul.wide.s32");
  add<times_wide<u32, u64>, u32, u32>(t, "mul.wide.u32");
  add<most_or_0, s32, s32>(t, "max.relu.s32");
  add<extract, u32, u32, u32>(t, "bfe.u32");
  add<permute, u32, u32, u32>(t, "prmt.b32");
  add<bits_and<u64>, u64, u64>(t, "and.pred");
  add<bits_or<u64>, u64, u64>(t, "or.pred");
  add<bits_xor<u64>, u64, u64>(t, "xor.pred");
  add<not_predicate, u64>(t, "not.pred");
}

}  // namespace emulator
