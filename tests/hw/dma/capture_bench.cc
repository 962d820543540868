#include "capture_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace plumbline::hw_test {
namespace {

constexpr std::uint64_t kBeatBytes = 64;
// A clock of 322.265625 MHz, and the time of a byte at 100 Gb/s.
constexpr std::int64_t kClockPs = 3103;
constexpr std::int64_t kBytePs = 80;
constexpr std::uint32_t kOverheadBytes = 20;
// Clocks from a frame's last beat to its descriptor; a tap waits for 31 frames at most.
constexpr std::uint64_t kDescriptorDelay = 30;

std::uint64_t roundUp(std::uint64_t bytes) {
  return (bytes + kBeatBytes - 1) / kBeatBytes * kBeatBytes;
}

std::uint64_t wordAt(const std::uint8_t* bytes, std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes, size);
  return value;
}

sim::AxiWritePins writePins(Vtapped_writer& model) {
  return {.awaddr = &model.m_axi_awaddr_o,
          .awlen = &model.m_axi_awlen_o,
          .awsize = nullptr,
          .awburst = nullptr,
          .awvalid = &model.m_axi_awvalid_o,
          .awready = &model.m_axi_awready_i,
          .wdata = model.m_axi_wdata_o.data(),
          .wstrb = nullptr,
          .wlast = &model.m_axi_wlast_o,
          .wvalid = &model.m_axi_wvalid_o,
          .wready = &model.m_axi_wready_i,
          .bresp = &model.m_axi_bresp_i,
          .bvalid = &model.m_axi_bvalid_i,
          .bready = &model.m_axi_bready_o};
}

void setBit(std::uint8_t& pins, std::size_t bit, bool value) {
  pins = static_cast<std::uint8_t>((pins & ~(1U << bit)) | (value ? 1U << bit : 0U));
}

}  // namespace

std::vector<std::uint8_t> SourceFrame::bytes() const {
  std::vector<std::uint8_t> out(roundUp(length));
  const std::uint64_t key = mix64(number * kStreams + stream);
  for (std::size_t i = 0; i < out.size(); i += 8) {
    const std::uint64_t word = i == 0 ? number : mix64(key + i);
    std::memcpy(out.data() + i, &word, 8);
  }
  out.resize(length);
  return out;
}

std::uint64_t SourceFrame::timestamp() const {
  return mix64(number * kStreams + stream + 1'000'000);
}

std::uint32_t SourceFrame::flags() const { return timestamp() >> 61; }

CaptureBench::CaptureBench(const CaptureSetup& setup)
    : context_(std::make_unique<VerilatedContext>()),
      model_(std::make_unique<Vtapped_writer>(context_.get())),
      setup_(setup),
      random_(setup.seed, "capture bench"),
      ring_(setup.ring_bytes, 0xEE),
      memory_(writePins(*model_), buffers_, setup.timing) {
  buffers_.map(kRingAddress, ring_);
  model_->clk_i = 0;
  model_->rst_ni = 0;
  model_->enable_i = 0;
  model_->address_i = kRingAddress >> 12;
  model_->size_i = static_cast<IData>(setup.ring_bytes >> 12);
  model_->beat_i = 0;
  model_->desc_valid_i = 0;
  model_->read_valid_i = 0;
  model_->m_axi_bvalid_i = 0;
  for (int i = 0; i < 3; ++i) {
    model_->clk_i = 1;
    model_->eval();
    model_->clk_i = 0;
    model_->eval();
  }
  model_->rst_ni = 1;
  memory_.drive();
  model_->eval();
}

void CaptureBench::send(std::size_t stream, std::uint32_t length, int gap) {
  Stream& of = streams_[stream];
  of.queued.push_back({{stream, of.next_number++, length}, gap});
}

bool CaptureBench::sending() const {
  return std::any_of(streams_.begin(), streams_.end(), [](const Stream& stream) {
    return !stream.queued.empty() || !stream.descriptors.empty();
  });
}

std::uint64_t CaptureBench::droppedInAll() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : dropped_) sum += count;
  return sum;
}

void CaptureBench::restartHost() {
  read_ = 0;
  released_ = 0;
  next_record_ = 0;
}

void CaptureBench::driveSource(std::size_t s) {
  Stream& stream = streams_[s];
  setBit(model_->beat_i, s, false);
  setBit(model_->desc_valid_i, s, false);

  if (!stream.descriptors.empty() && stream.descriptors.front().first <= clock_) {
    const SourceFrame& frame = stream.descriptors.front().second;
    setBit(model_->desc_valid_i, s, true);
    std::memcpy(model_->desc_timestamp_i.data() + 2 * s, std::array{frame.timestamp()}.data(), 8);
    const std::uint32_t length = frame.length + (std::exchange(spoil_[s], false) ? 1 : 0);
    model_->desc_length_i &= ~(std::uint64_t{0xFFFF} << 16 * s);
    model_->desc_length_i |= std::uint64_t{length & 0xFFFF} << 16 * s;
    model_->desc_flags_i &= static_cast<SData>(~(7U << 3 * s));
    model_->desc_flags_i |= static_cast<SData>(frame.flags() << 3 * s);
    stream.descriptors.pop_front();
  }

  if (stream.queued.empty()) return;
  const Queued& queued = stream.queued.front();
  if (stream.beat == 0) {
    const std::int64_t now = static_cast<std::int64_t>(clock_) * kClockPs;
    if (queued.gap < 0) {
      if (now < stream.line_free_ps) return;
      stream.line_free_ps =
          std::max(stream.line_free_ps, now - kClockPs) +
          static_cast<std::int64_t>(queued.frame.length + kOverheadBytes) * kBytePs;
    } else if (clock_ < stream.wait_until) {
      return;
    }
    stream.bytes = queued.frame.bytes();
    ++sent_[s];
  }
  const std::size_t offset = stream.beat * kBeatBytes;
  const std::size_t size = std::min<std::size_t>(kBeatBytes, stream.bytes.size() - offset);
  const bool last = offset + size == stream.bytes.size();
  std::memcpy(model_->tdata_i.data() + 16 * s, stream.bytes.data() + offset, size);
  const std::uint64_t keep = size == kBeatBytes ? ~0ULL : (1ULL << size) - 1;
  std::memcpy(model_->tkeep_i.data() + 2 * s, &keep, sizeof keep);
  setBit(model_->beat_i, s, true);
  setBit(model_->tlast_i, s, last);
  ++stream.beat;
  if (!last) return;
  stream.beat = 0;
  const std::uint64_t earliest =
      stream.descriptors.empty() ? 0 : stream.descriptors.back().first + 1;
  stream.descriptors.emplace_back(std::max(earliest, clock_ + 1 + random_.below(kDescriptorDelay)),
                                  queued.frame);
  stream.queued.pop_front();
  if (!stream.queued.empty() && stream.queued.front().gap > 0) {
    stream.wait_until = clock_ + 1 + static_cast<std::uint64_t>(stream.queued.front().gap);
  }
}

void CaptureBench::clock() {
  for (std::size_t s = 0; s < kStreams; ++s) driveSource(s);
  model_->eval();
  memory_.sample();
  if (model_->m_axi_wvalid_o != 0 && model_->m_axi_wready_i != 0) ++beats_written_;
  model_->clk_i = 1;
  model_->eval();
  model_->clk_i = 0;
  model_->eval();
  ++clock_;
  for (std::size_t s = 0; s < kStreams; ++s) dropped_[s] += model_->dropped_o >> s & 1U;
  write_errors_ += model_->write_error_o;
  mismatches_ += model_->mismatch_o;
  memory_.drive();
  model_->read_valid_i = 0;
  if (looks_ && host_reads_) readRing();
}

void CaptureBench::readRing() {
  const std::uint64_t written = this->written();
  ASSERT_LE(written - released_, setup_.ring_bytes) << "the ring has run over";
  while (read_ < written) {
    const Record record = parse(read_);
    if (testing::Test::HasFatalFailure()) return;
    read_ += kHeaderBytes + roundUp(record.captured);
    ASSERT_LE(read_, written) << "half a record has been counted";
    ASSERT_EQ(record.number, next_record_);
    ++next_record_;
    Stream& stream = streams_[record.frame.stream];
    ASSERT_GE(record.frame.number, stream.last_recorded) << "out of order";
    stream.last_recorded = record.frame.number + 1;
    if (!record.truncated) ++whole_[record.frame.stream];
    records_.push_back(record);
  }
  const std::uint64_t keep = setup_.host_lag == 0 ? 0 : roundUp(random_.below(setup_.host_lag));
  const std::uint64_t release = read_ > keep ? read_ - keep : 0;
  if (release > released_) {
    // Behind it there must be nothing of what the writer had acknowledged.
    for (; released_ < release; released_ += kBeatBytes) {
      std::memset(ring_.data() + released_ % setup_.ring_bytes, 0xEE, kBeatBytes);
    }
    model_->read_i = static_cast<IData>(released_ / 64 & 0x3FF'FFFF);
    model_->read_valid_i = 1;
  }
}

// Reads the record at `at` and holds it against the frame that its number and stream name.
Record CaptureBench::parse(std::uint64_t at) const {
  const std::uint8_t* header = ring_.data() + at % setup_.ring_bytes;
  Record record;
  record.at = at;
  record.captured = wordAt(header + 12, 2);
  record.number = static_cast<std::uint32_t>(wordAt(header + 16, 4));
  const std::uint32_t rest = static_cast<std::uint32_t>(wordAt(header + 10, 2));
  record.truncated = (rest >> 3 & 1U) != 0;
  const std::uint64_t port = header[14];
  const std::uint64_t sent = rest >> 4 & 1U;
  EXPECT_EQ(header[15], 0x5A) << "no record at " << at;
  EXPECT_LT(port, 2U);
  EXPECT_EQ(rest >> 5, 0U);
  EXPECT_TRUE(std::all_of(header + 20, header + 64, [](std::uint8_t byte) { return byte == 0; }));
  record.frame.stream = 2 * port + sent;
  record.frame.length = static_cast<std::uint32_t>(wordAt(header + 8, 2));

  std::vector<std::uint8_t> captured(roundUp(record.captured));
  for (std::size_t i = 0; i < captured.size(); i += kBeatBytes) {
    std::memcpy(captured.data() + i, ring_.data() + (at + kHeaderBytes + i) % setup_.ring_bytes,
                kBeatBytes);
  }
  captured.resize(record.captured);
  EXPECT_GE(record.captured, std::min<std::uint64_t>(record.frame.length, 64));
  if (record.captured < 8) return record;
  record.frame.number = wordAt(captured.data(), 8);
  EXPECT_EQ(wordAt(header, 8), record.frame.timestamp()) << "record " << record.number;
  EXPECT_EQ(rest & 7U, record.frame.flags());
  std::vector<std::uint8_t> expected = record.frame.bytes();
  if (record.truncated) {
    EXPECT_LT(record.captured, expected.size());
    expected.resize(std::min<std::size_t>(record.captured, expected.size()));
  }
  EXPECT_TRUE(captured == expected) << "record " << record.number << " of " << record.frame.length
                                    << " bytes, " << record.captured << " captured";
  return record;
}

void CaptureBench::settle() {
  while (sending()) clock();
  std::uint64_t before = 0;
  do {
    before = memory_.answered() + records_.size();
    run(4000);
  } while (before != memory_.answered() + records_.size());
}

}  // namespace plumbline::hw_test
