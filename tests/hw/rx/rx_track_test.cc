// What the receiver tracks beyond loss and order: trimmed packets, and rows for 4096 queue pairs.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "tests/hw/rx/rx_bench.h"
#include "tests/hw/rx/rx_frames.h"
#include "tests/hw/rx/rx_reference.h"

namespace plumbline::test {
namespace {

constexpr std::uint8_t kTrimmedDscp = 42;
constexpr std::uint8_t kOrdinaryDscp = 26;  // of makeFrame()

// The frame as a switch leaves it that keeps `kept` bytes behind the IP header: IP length, DSCP and
// IPv4 checksum made right, the UDP length left as it was. `cut`: the bytes behind are gone and the
// frame is padded; else they are still there.
wire::Buffer trim(wire::Buffer frame, const FrameOptions& options, std::size_t kept,
                  std::uint8_t dscp, bool cut) {
  const std::size_t ip = options.vlan ? 18 : 14;
  const std::size_t header = options.ipv6 ? 40 : 20;
  if (options.ipv6) {
    frame[ip] = static_cast<std::uint8_t>(0x60U | dscp >> 2U);
    frame[ip + 1] = static_cast<std::uint8_t>((frame[ip + 1] & 0x3FU) | (dscp & 3U) << 6U);
    frame[ip + 4] = static_cast<std::uint8_t>(kept >> 8U);
    frame[ip + 5] = static_cast<std::uint8_t>(kept);
  } else {
    frame[ip + 1] = static_cast<std::uint8_t>((frame[ip + 1] & 3U) | dscp << 2U);
    frame[ip + 2] = static_cast<std::uint8_t>((kept + header) >> 8U);
    frame[ip + 3] = static_cast<std::uint8_t>(kept + header);
    frame[ip + 10] = 0;
    frame[ip + 11] = 0;
    std::uint32_t sum = 0;
    for (std::size_t at = ip; at < ip + header; at += 2) {
      sum += static_cast<std::uint32_t>(frame[at] << 8U | frame[at + 1]);
    }
    while (sum >> 16U != 0) sum = (sum & 0xFFFFU) + (sum >> 16U);
    frame[ip + 10] = static_cast<std::uint8_t>(~sum >> 8U);
    frame[ip + 11] = static_cast<std::uint8_t>(~sum);
  }
  if (cut) {
    frame.resize(ip + header + kept);
    frame.resize(std::max<std::size_t>(frame.size() + 4, 64));
  }
  refreshFcs(frame);
  return frame;
}

FrameOptions optionsOf(Kind kind, bool vlan, bool ipv6, std::uint32_t row, std::uint64_t sequence) {
  FrameOptions options{.kind = kind, .vlan = vlan, .ipv6 = ipv6};
  options.tag = wire::TestTag{.id = wire::TestTag::makeId(2, row), .sequence = sequence};
  options.length = minimumLength(options) + 60;
  return options;
}

class RxTrim : public testing::TestWithParam<bool> {};  // by DSCP, else by length

INSTANTIATE_TEST_SUITE_P(KnownBy, RxTrim, testing::Bool(),
                         [](const auto& info) { return info.param ? "Dscp" : "Length"; });

// Every transport, cut everywhere from behind the UDP header to the whole packet less one byte.
TEST_P(RxTrim, CountsATagThatIsLeftAndNothingElseOfATaglessOne) {
  const bool by_dscp = GetParam();
  RxBench bench;
  RandomStream random(1, "trim");
  if (by_dscp) {
    bench.setTrimming(kTrimmedDscp, false);
  } else {
    bench.setTrimming(std::nullopt, true);
  }
  const std::uint8_t dscp = by_dscp ? kTrimmedDscp : kOrdinaryDscp;
  PortCounters expected;
  std::uint32_t row = 0;
  for (const Kind kind : allKinds()) {
    for (const bool vlan : {false, true}) {
      for (const bool ipv6 : {false, true}) {
        ++row;
        FlowRow counted;
        const FrameOptions options = optionsOf(kind, vlan, ipv6, row, 0);
        const std::size_t headers = (vlan ? 18U : 14U) + (ipv6 ? 40U : 20U);
        const std::size_t whole = options.length - 4 - headers;
        for (std::size_t kept = 8; kept < whole; kept += 1 + random.below(3)) {
          for (const bool cut : {false, true}) {
            FrameOptions sent = options;
            sent.tag->sequence = counted.next_sequence;
            const wire::Buffer frame = trim(makeFrame(sent, random), sent, kept, dscp, cut);
            bench.send(frame);
            bench.idle(2);
            ++expected.frames;
            expected.bytes += frame.size();
            ++expected.trimmed;
            if (headers + kept < tagOffset(options) + wire::TestTag::kSize) {
              ++expected.trimmed_bare;
            } else {
              ++counted.frames;
              counted.bytes += frame.size();
              ++counted.trimmed;
              ++counted.next_sequence;
            }
          }
        }
        bench.settle();
        EXPECT_EQ(bench.flowRow(row), counted) << kindName(kind) << vlan << ipv6;
        EXPECT_GT(counted.trimmed, 0U);
      }
    }
  }
  EXPECT_EQ(bench.counters(), expected);
  EXPECT_GT(expected.trimmed_bare, 0U);
  EXPECT_EQ(bench.groupRow(2), GroupRow{}) << "the latency of a trimmed packet is not a packet's";
}

TEST(RxTrim, OffIsOff) {
  RxBench bench;
  RandomStream random(2, "trim");
  const FrameOptions options = optionsOf(Kind::kUetRudStandard, false, false, 3, 0);
  const std::size_t tag_end = tagOffset(options) + wire::TestTag::kSize;
  bench.send(trim(makeFrame(options, random), options, tag_end - 34, kTrimmedDscp, true));
  bench.settle();
  EXPECT_EQ(bench.flowRow(3).frames, 1U);
  EXPECT_EQ(bench.flowRow(3).trimmed, 0U);
  EXPECT_EQ(bench.groupRow(2).count, 1U);
  // Headers that do not fit are not understood; a RoCE packet without its ICRC has a bad one.
  bench.send(trim(makeFrame(options, random), options, 24, kTrimmedDscp, true));
  const FrameOptions roce = optionsOf(Kind::kRoceWrite, false, false, 4, 0);
  bench.send(trim(makeFrame(roce, random), roce, 100, kTrimmedDscp, true));
  bench.settle();
  EXPECT_EQ(bench.counters().unparsed, 1U);
  EXPECT_EQ(bench.counters().icrc_errors, 1U);
  EXPECT_EQ(bench.counters().trimmed, 0U);
}

TEST(RxTrim, WholePacketsAreNotTrimmed) {
  RxBench bench;
  RandomStream random(3, "trim");
  bench.setTrimming(kTrimmedDscp, true);
  std::uint32_t row = 0;
  for (const Kind kind : allKinds()) {
    for (const bool ipv6 : {false, true}) {
      ++row;
      bench.send(makeFrame(optionsOf(kind, row % 3 == 0, ipv6, row, 0), random));
      bench.idle(4);
      bench.settle();
      EXPECT_EQ(bench.flowRow(row).frames, 1U) << kindName(kind);
    }
  }
  EXPECT_EQ(bench.counters().trimmed, 0U);
  EXPECT_EQ(bench.counters().icrc_errors, 0U);
  // A wrong DSCP in one bit is another DSCP.
  const FrameOptions options = optionsOf(Kind::kUdp, false, true, 1, 1);
  bench.setTrimming(kTrimmedDscp, false);
  for (unsigned bit = 0; bit < 6; ++bit) {
    bench.send(trim(makeFrame(options, random), options, 60,
                    static_cast<std::uint8_t>(kTrimmedDscp ^ 1U << bit), false));
    bench.idle(4);
  }
  bench.settle();
  EXPECT_EQ(bench.counters().trimmed, 0U);
}

TEST(RxTrim, ArrivesInItsPlaceOfTheSequence) {
  RxBench bench;
  RandomStream random(4, "trim");
  bench.setTrimming(kTrimmedDscp, false);
  constexpr std::uint32_t kRows = 4;
  std::vector<ReferenceRow> references(kRows);
  std::vector<std::uint64_t> next(kRows, 0);
  std::uint64_t with_latency = 0;
  for (int i = 0; i < 6000; ++i) {
    const auto row = static_cast<std::uint32_t>(random.below(kRows));
    next[row] += random.below(3);
    const std::uint64_t back = random.below(4) == 0 ? random.below(140) : 0;
    const std::uint64_t sequence = next[row] > back ? next[row] - back : next[row];
    FrameOptions options = optionsOf(Kind::kUetRudi, false, false, row, sequence);
    wire::Buffer frame = makeFrame(options, random);
    const bool trimmed = random.below(3) == 0;
    if (trimmed) frame = trim(frame, options, tagOffset(options) - 34 + 20, kTrimmedDscp, true);
    bench.send(frame);
    bench.idle(random.below(4));
    const FlowRow before = references[row].row();
    references[row].receive(sequence, static_cast<std::uint32_t>(frame.size()), false, trimmed);
    const FlowRow& after = references[row].row();
    if (!trimmed && after.duplicate == before.duplicate) ++with_latency;
  }
  bench.settle();
  for (std::uint32_t row = 0; row < kRows; ++row) {
    EXPECT_EQ(bench.flowRow(row), references[row].row());
    EXPECT_GT(references[row].row().reorder_depth, 100U);
    EXPECT_GT(references[row].row().stale, 0U);
  }
  EXPECT_EQ(bench.groupRow(2).count, with_latency);
}

TEST(RxWideRows, TwelveBitsOfRowAndFourOfGroup) {
  RxBench bench;
  RandomStream random(5, "wide");
  bench.setWideRows(true);
  std::map<std::uint32_t, std::uint64_t> rows;
  std::vector<std::uint64_t> groups(16, 0);
  for (int i = 0; i < 5000; ++i) {
    // The corners often, everything sometimes.
    const auto any = static_cast<std::uint32_t>(random.below(4096));
    const std::uint32_t corners[] = {0, 2047, 2048, 4095, any, any, any ^ 2048U};
    const std::uint32_t row = corners[random.below(7)];
    const auto group = static_cast<std::uint32_t>(random.below(16));
    FrameOptions options{.length = 64};
    options.tag =
        wire::TestTag{.id = static_cast<std::uint16_t>(group << 12U | row), .sequence = rows[row]};
    bench.send(makeFrame(options, random));
    bench.idle(2);
    ++rows[row];
    ++groups[group];
  }
  bench.settle();
  EXPECT_GT(rows.size(), 1500U);
  for (const auto& [row, frames] : rows) {
    const FlowRow expected{.frames = frames, .bytes = 64 * frames, .next_sequence = frames};
    ASSERT_EQ(bench.flowRow(row), expected) << "row " << row;
  }
  for (std::uint32_t group = 0; group < 16; ++group) {
    EXPECT_EQ(bench.groupRow(group).count, groups[group]);
  }
  EXPECT_EQ(bench.counters().bad_row, 0U);
  bench.clear();
  for (const std::uint32_t row : {0U, 2047U, 2048U, 4095U}) {
    EXPECT_EQ(bench.flowRow(row), FlowRow{}) << "after a clear";
  }
}

}  // namespace
}  // namespace plumbline::test
