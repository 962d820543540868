#include "sim/crc32_in_c.h"

#include <bit>
#include <cstddef>
#include <cstring>

#include "wire/crc.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define PLUMBLINE_CLMUL
#endif

namespace plumbline::sim {
namespace {

constexpr std::uint32_t kPolynomial = 0xEDB88320;
constexpr wire::CrcTables kTables(kPolynomial);

constexpr std::size_t kWords = 8;
constexpr std::uint32_t kBytesOfBeat = 64;
using Words = std::array<std::uint64_t, kWords>;

// Words are bytes in the order of memory.
static_assert(std::endian::native == std::endian::little);

#ifdef PLUMBLINE_CLMUL

// In a word, bit 63 - d is the coefficient of x^d: the bit that is sent first has the highest
// power. The processor's product of two words then has that of x^(d - 1) at bit 127 - d; so factors
// are one power of x too small.

// x^`power` modulo the polynomial.
constexpr std::uint64_t powerOfX(unsigned power) {
  std::uint32_t value = 0x80000000;
  for (; power > 0; --power) value = (value >> 1) ^ ((value & 1U) != 0 ? kPolynomial : 0U);
  return std::uint64_t{value} << 32;
}

// x^64 divided by the polynomial, of which the x^32 that both have is not here; likewise the
// polynomial.
constexpr std::uint64_t kInverse = [] {
  // Long division, ordinary bit order: bit d is the coefficient of x^d.
  constexpr std::uint64_t kDivisor = 0x104C11DB7;
  std::uint64_t quotient = 0;
  std::uint64_t rest = std::uint64_t{1} << 32;  // of x^64 / x^32
  for (int power = 32; power >= 0; --power) {
    if ((rest >> 32 & 1U) != 0) {
      quotient |= std::uint64_t{1} << power;
      rest ^= kDivisor;
    }
    rest <<= 1;
  }
  std::uint64_t reflected = 0;
  for (int power = 0; power < 32; ++power) reflected |= (quotient >> power & 1U) << (63 - power);
  return reflected;
}();
constexpr std::uint64_t kPolynomialWord = std::uint64_t{kPolynomial} << 32;

// Factor that shifts word i of a beat past the words after it; none for the last one.
constexpr auto kMoves = [] {
  std::array<std::uint64_t, kWords - 1> moves{};
  for (std::size_t i = 0; i + 1 < kWords; ++i) {
    moves[i] = powerOfX(static_cast<unsigned>(64 * (kWords - 1 - i) - 1));
  }
  return moves;
}();

// By count / 4: factor that shifts a register in the upper half of a word past count zero bytes,
// four of which registerOf() adds. None for the first.
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

// The register after `word`, from a zero one: word * x^32 modulo the polynomial (Barrett).
[[gnu::target("pclmul")]] std::uint32_t registerOf(std::uint64_t word) {
  constexpr std::uint64_t kLowHalf = 0xFFFFFFFF00000000;  // the powers of x below 32
  const std::uint64_t sum =
      lowPowers(product(word << 32, powerOfX(63))) ^ ((word & kLowHalf) >> 32);
  const std::uint64_t high = sum << 32;
  const std::uint64_t quotient = high ^ (lowPowers(product(high, kInverse)) << 33);
  const std::uint64_t rest = sum ^ (lowPowers(product(quotient, kPolynomialWord)) << 1);
  return static_cast<std::uint32_t>(rest >> 32);
}

[[gnu::target("pclmul")]] std::uint32_t crcOfWordsByProducts(const Words& words) {
  __m128i sum = _mm_setzero_si128();
  for (std::size_t i = 0; i < kMoves.size(); ++i) {
    sum = _mm_xor_si128(sum, product(words[i], kMoves[i]));
  }
  const auto high_powers = static_cast<std::uint64_t>(_mm_cvtsi128_si64(sum));
  const __m128i folded = product(high_powers, powerOfX(63));
  return registerOf(lowPowers(_mm_xor_si128(sum, folded)) ^ words.back());
}

// Zero bytes leave a zero register alone: the bytes that count move to the end of the beat.
[[gnu::target("pclmul")]] std::uint32_t crcOfBeatByProducts(const Words& words,
                                                            std::uint32_t count) {
  if (count == kBytesOfBeat) return crcOfWordsByProducts(words);
  std::array<std::uint64_t, 2 * kWords> behind_zeros{};
  std::memcpy(behind_zeros.data() + kWords, words.data(), kBytesOfBeat);
  Words moved;
  std::memcpy(moved.data(), reinterpret_cast<const std::uint8_t*>(behind_zeros.data()) + count,
              kBytesOfBeat);
  return crcOfWordsByProducts(moved);
}

[[gnu::target("pclmul")]] std::uint32_t crcAfterZerosByProducts(std::uint32_t state,
                                                                std::uint32_t count) {
  const std::uint64_t word = std::uint64_t{state} << 32;
  return registerOf(count == 4 ? word : lowPowers(product(word, kZeros[count / 4])));
}

#endif

}  // namespace

std::uint32_t crcOfBeatByTables(const Words& words, std::uint32_t count) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words.data());
  return kTables.update(0, wire::ByteView(bytes, count));
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
                              unsigned long long w6, unsigned long long w7, unsigned int count) {
  const std::array<std::uint64_t, 8> words{w0, w1, w2, w3, w4, w5, w6, w7};
#ifdef PLUMBLINE_CLMUL
  if (plumbline::sim::hasClmul()) return plumbline::sim::crcOfBeatByProducts(words, count);
#endif
  return crcOfBeatByTables(words, count);
}

unsigned int plumb_crc32_zeros(unsigned int state, unsigned int count) {
  if (state == 0) return 0;  // after a frame of one beat
#ifdef PLUMBLINE_CLMUL
  if (plumbline::sim::hasClmul()) return plumbline::sim::crcAfterZerosByProducts(state, count);
#endif
  return crcAfterZerosByTables(state, count);
}
