#include "tests/hw/tx/tx_pattern.h"

#include <bit>
#include <cmath>

namespace plumbline::test {
namespace {

// 2^24 ln(x).
std::uint64_t ln24(double x) {
  return static_cast<std::uint64_t>(std::llround(std::log(x) * 0x1p24));
}

// -ln of the uniform number that the random word stands for, Q5.20.
std::uint64_t exponentialOf(std::uint64_t word) {
  const auto zeros =
      static_cast<std::uint64_t>(std::countl_zero(static_cast<std::uint32_t>(word >> 32)));
  const std::uint64_t point = word >> 26 & 0x3F;
  const std::uint64_t fraction = word >> 10 & 0xFFFF;
  const std::uint64_t from = ln24(1 + static_cast<double>(point) / 64);
  const std::uint64_t to = ln24(1 + static_cast<double>(point + 1) / 64);
  return ((zeros + 1) * ln24(2) - from - ((to - from) * fraction >> 16)) >> 4;
}

}  // namespace

void setBits(Row& row, std::uint32_t low, std::uint32_t width, std::uint64_t value) {
  for (std::uint32_t i = 0; i < width; ++i) {
    const std::uint32_t bit = 1U << ((low + i) % 32);
    std::uint32_t& word = row.at((low + i) / 32);
    word = (value >> i & 1U) != 0 ? word | bit : word & ~bit;
  }
}

std::uint64_t getBits(const Row& row, std::uint32_t low, std::uint32_t width) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < width; ++i) {
    value |= static_cast<std::uint64_t>(row.at((low + i) / 32) >> ((low + i) % 32) & 1U) << i;
  }
  return value;
}

Row PatternConfig::row() const {
  Row row{};
  setBits(row, 0, 2, gap_mode);
  setBits(row, 2, 1, interleave ? 1 : 0);
  setBits(row, 3, 1, count_per_qp ? 1 : 0);
  setBits(row, 16, 13, list_count);
  setBits(row, 32, 12, list_base);
  setBits(row, 64, 16, message_frames);
  setBits(row, 80, 14, middle_length);
  setBits(row, 96, 14, last_length);
  setBits(row, 128, 32, port_seed);
  setBits(row, 160, 13, gap_count);
  setBits(row, 176, 12, gap_base);
  setBits(row, 192, 16, gap_repeat);
  setBits(row, 224, 59, gap_mean);
  setBits(row, 288, 64, gap_seed);
  return row;
}

Row QpEntry::row() const {
  Row row{};
  setBits(row, 0, 32, pair);
  setBits(row, 32, 12, context);
  setBits(row, 64, 32, psn_base);
  return row;
}

std::uint64_t GapSource::next() {
  if (pattern_.gap_mode == 2) {
    const std::uint64_t entry = taken_++ / pattern_.gap_repeat % pattern_.gap_count;
    return gap_list_->at((pattern_.gap_base + entry) % 4096);
  }
  const auto gap = static_cast<std::uint64_t>(
      static_cast<unsigned __int128>(pattern_.gap_mean) * exponentialOf(random_) >> 20);
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return gap;
}

Turn turnOf(const PatternConfig& pattern, std::uint64_t number) {
  const std::uint64_t frames = pattern.message_frames > 1 ? pattern.message_frames : 1;
  const std::uint64_t turns = pattern.list_count;
  const std::uint64_t turn = pattern.interleave ? number % turns : number / frames % turns;
  const std::uint64_t position = (pattern.interleave ? number / turns : number) % frames;
  return {static_cast<std::uint32_t>((pattern.list_base + turn) % 4096), position == 0 ? 0U
                                                                         : position == frames - 1
                                                                             ? 2U
                                                                             : 1U};
}

std::uint32_t RandomPorts::next() {
  const auto port = static_cast<std::uint32_t>((state_ >> 16) * count_ >> 16);
  state_ ^= state_ << 13;
  state_ ^= state_ >> 17;
  state_ ^= state_ << 5;
  return port;
}

}  // namespace plumbline::test
