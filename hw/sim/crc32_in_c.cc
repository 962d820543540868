#include "sim/crc32_in_c.h"

#include <bit>
#include <cstddef>

#include "wire/crc.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define PLUMBLINE_CLMUL
#endif

namespace plumbline::sim {
namespace {

constexpr std::uint32_t kPolynomial = 0xEDB88320;
constexpr wire::CrcTables kTables(kPolynomial);

// The register after the eight bytes of `word`, from `state`.
std::uint32_t afterWord(std::uint32_t state, std::uint64_t word) {
  const auto bytes = std::bit_cast<std::array<std::uint8_t, sizeof word>>(word);
  return kTables.update(state, bytes);
}
static_assert(std::endian::native == std::endian::little);

#ifdef PLUMBLINE_CLMUL

// Of a word, bit 63 - d is the coefficient of x^d: the bit that is sent first has the highest
// power. The product of two words as the processor makes it then has that of x^(d - 1) at bit
// 127 - d; so factors are one power of x too small.

// x^`power` modulo the polynomial.
constexpr std::uint64_t powerOfX(unsigned power) {
  std::uint32_t value = 0x80000000;
  for (; power > 0; --power) value = (value >> 1) ^ ((value & 1U) != 0 ? kPolynomial : 0U);
  return std::uint64_t{value} << 32;
}

constexpr unsigned kWords = 8;

// What moves word i of a beat up by the words behind it; the last one stays.
constexpr auto kMoves = [] {
  std::array<std::uint64_t, kWords - 1> moves{};
  for (unsigned i = 0; i + 1 < kWords; ++i) moves[i] = powerOfX(64 * (kWords - 1 - i) - 1);
  return moves;
}();

// By count / 4: what moves a register in the upper half of a word up by count zero bytes, four of
// which afterWord() adds. None for the first.
constexpr auto kZeros = [] {
  std::array<std::uint64_t, 17> zeros{};
  for (unsigned i = 2; i < zeros.size(); ++i) zeros[i] = powerOfX(32 * i - 32 - 1);
  return zeros;
}();

bool hasClmul() {
  static const bool has = __builtin_cpu_supports("pclmul") != 0;
  return has;
}

[[gnu::target("pclmul")]] __m128i product(std::uint64_t word, std::uint64_t factor) {
  return _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<long long>(word)),
                              _mm_cvtsi64_si128(static_cast<long long>(factor)), 0);
}
// Bits 127 to 64: the powers of x below 64.
std::uint64_t lowPowers(__m128i value) {
  return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(value, value)));
}

[[gnu::target("pclmul")]] std::uint32_t crcOfBeatByProducts(
    const std::array<std::uint64_t, kWords>& words) {
  __m128i sum = _mm_setzero_si128();
  for (std::size_t i = 0; i < kMoves.size(); ++i) {
    sum = _mm_xor_si128(sum, product(words[i], kMoves[i]));
  }
  const auto high_powers = static_cast<std::uint64_t>(_mm_cvtsi128_si64(sum));
  const __m128i folded = product(high_powers, powerOfX(63));
  return afterWord(0, lowPowers(_mm_xor_si128(sum, folded)) ^ words.back());
}

[[gnu::target("pclmul")]] std::uint32_t crcAfterZerosByProducts(std::uint32_t state,
                                                                std::uint32_t count) {
  const std::uint64_t word = std::uint64_t{state} << 32;
  return afterWord(0, count == 4 ? word : lowPowers(product(word, kZeros[count / 4])));
}

#endif

}  // namespace

std::uint32_t crcOfBeatByTables(const std::array<std::uint64_t, 8>& words) {
  std::uint32_t state = 0;
  for (const std::uint64_t word : words) state = afterWord(state, word);
  return state;
}

std::uint32_t crcAfterZerosByTables(std::uint32_t state, std::uint32_t count) {
  constexpr std::array<std::uint8_t, 64> kZeroBytes{};
  return kTables.update(state, wire::ByteView(kZeroBytes).first(count));
}

}  // namespace plumbline::sim

using plumbline::sim::crcAfterZerosByTables;
using plumbline::sim::crcOfBeatByTables;

unsigned int plumb_crc32_beat(unsigned long long w0, unsigned long long w1, unsigned long long w2,
                              unsigned long long w3, unsigned long long w4, unsigned long long w5,
                              unsigned long long w6, unsigned long long w7) {
  const std::array<std::uint64_t, 8> words{w0, w1, w2, w3, w4, w5, w6, w7};
#ifdef PLUMBLINE_CLMUL
  if (plumbline::sim::hasClmul()) return plumbline::sim::crcOfBeatByProducts(words);
#endif
  return crcOfBeatByTables(words);
}

unsigned int plumb_crc32_zeros(unsigned int state, unsigned int count) {
#ifdef PLUMBLINE_CLMUL
  if (plumbline::sim::hasClmul()) return plumbline::sim::crcAfterZerosByProducts(state, count);
#endif
  return crcAfterZerosByTables(state, count);
}
