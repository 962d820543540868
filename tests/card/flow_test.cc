#include "card/flow.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"

namespace plumbline::card {
namespace {

FlowConfig smallestFlow() {
  FlowConfig flow;
  flow.head.assign(64, 0);
  return flow;
}

// Bits [msb:lsb] of a row, read bit by bit: independent of the generated accessors.
std::uint64_t bits(const regs::TableRow& row, unsigned msb, unsigned lsb) {
  std::uint64_t value = 0;
  for (unsigned bit = msb + 1; bit-- > lsb;) {
    value = value << 1 | ((row.at(bit / 32) >> (bit % 32)) & 1U);
  }
  return value;
}

// Positions from hw/regs/plumbline.toml, written out once more so that a slip of the generator or
// of the packing shows.
TEST(FlowRow, PutsEveryFieldWhereTheMapSays) {
  FlowConfig flow = smallestFlow();
  flow.length = 0x2345 & 0x1FFF;  // 837
  flow.group = 13;
  flow.row = 0x5A5;
  flow.tag_offset = 0x36;
  flow.payload_offset = 0x48;
  flow.vlan = true;
  flow.ipv6 = true;
  flow.roce = true;
  flow.icrc = true;
  flow.modify_psn = true;
  flow.modify_qp = true;
  flow.source_port_mode = SourcePortMode::kPerFrame;
  flow.address_mode = AddressMode::kSource;
  flow.priority = 5;
  flow.qp_count = 4096;
  flow.qp_base = 0xABCDEF;
  flow.psn_base = 0x89ABCDEF;
  flow.source_port_base = 0xC001;
  flow.source_port_count = 65536;
  flow.address_base = 0x0102;
  flow.address_count = 0x0304;
  flow.checksum_base = 0xBEEF;
  flow.period = FinePeriod::fromRaw(0x0123456789ABCDEF);
  flow.burst_frames = 1U << 24;
  flow.bursts = 0xFEDCBA98;
  flow.burst_interval = FinePeriod::fromRaw(0xFEDCBA9876543210);
  const regs::TableRow row = flowRow(flow);

  EXPECT_EQ(bits(row, 15, 0), 837U);
  EXPECT_EQ(bits(row, 31, 16), 13U << 11 | 0x5A5U);
  EXPECT_EQ(bits(row, 39, 32), 0x36U);
  EXPECT_EQ(bits(row, 48, 40), 0x48U);
  EXPECT_EQ(bits(row, 49, 49), 1U);  // tag_en
  EXPECT_EQ(bits(row, 50, 50), 1U);  // icrc
  EXPECT_EQ(bits(row, 51, 51), 1U);  // vlan
  EXPECT_EQ(bits(row, 52, 52), 1U);  // ipv6
  EXPECT_EQ(bits(row, 53, 53), 1U);  // roce
  EXPECT_EQ(bits(row, 54, 54), 0U);  // uet
  EXPECT_EQ(bits(row, 55, 55), 1U);  // psn_en
  EXPECT_EQ(bits(row, 56, 56), 1U);  // qp_en
  EXPECT_EQ(bits(row, 58, 57), 2U);
  EXPECT_EQ(bits(row, 60, 59), 1U);
  EXPECT_EQ(bits(row, 63, 61), 5U);
  EXPECT_EQ(bits(row, 76, 64), 4096U);
  EXPECT_EQ(bits(row, 79, 77), 0U);
  EXPECT_EQ(bits(row, 103, 80), 0xABCDEFU);
  EXPECT_EQ(bits(row, 135, 104), 0x89ABCDEFU);
  EXPECT_EQ(bits(row, 151, 136), 0xC001U);
  EXPECT_EQ(bits(row, 168, 152), 65536U);
  EXPECT_EQ(bits(row, 191, 176), 0x0102U);
  EXPECT_EQ(bits(row, 208, 192), 0x0304U);
  EXPECT_EQ(bits(row, 231, 216), 0xBEEFU);
  EXPECT_EQ(bits(row, 255, 232), 0U);
  EXPECT_EQ(bits(row, 319, 256), 0x0123456789ABCDEFU);
  EXPECT_EQ(bits(row, 344, 320), 1U << 24);
  EXPECT_EQ(bits(row, 383, 352), 0xFEDCBA98U);
  EXPECT_EQ(bits(row, 447, 384), 0xFEDCBA9876543210U);
  EXPECT_EQ(bits(row, 511, 448), 0U);
}

TEST(FlowRow, LeavesOutWhatIsOff) {
  FlowConfig flow = smallestFlow();
  flow.tagged = false;
  flow.uet = true;
  const regs::TableRow row = flowRow(flow);
  EXPECT_EQ(bits(row, 49, 49), 0U);
  EXPECT_EQ(bits(row, 56, 50), 0b0010000U);
  EXPECT_EQ(bits(row, 63, 57), 0U);
}

TEST(FlowRow, PutsGroupAndRowWhereTheReceiverLooks) {
  FlowConfig flow = smallestFlow();
  flow.group = 9;
  flow.row = 1234;
  EXPECT_EQ(flowRow(flow)[0] >> 16, 9U * 2048 + 1234);
  flow.wide_row = true;
  flow.row = 3234;
  EXPECT_EQ(flowRow(flow)[0] >> 16, 9U * 4096 + 3234);
}

TEST(FlowRow, RefusesWhatTheCardHasNoRoomFor) {
  const auto refused = [](auto change) {
    FlowConfig flow = smallestFlow();
    change(flow);
    try {
      flowRow(flow);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::kUsage;
    }
    return false;
  };
  EXPECT_FALSE(refused([](FlowConfig&) {}));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.length = 63; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.length = 16384; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.head.assign(257, 0); }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.tag_offset = 239; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.payload_offset = 257; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.group = 32; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.row = 2048; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.wide_row = true, f.row = 4096; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.wide_row = true, f.group = 16; }));
  EXPECT_FALSE(refused([](FlowConfig& f) { f.wide_row = true, f.row = 4095, f.group = 15; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.qp_count = 0; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.qp_count = 4097; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.qp_base = 1U << 24; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.source_port_base = 65536; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.source_port_count = 0; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.address_count = 65537; }));
  EXPECT_TRUE(refused([](FlowConfig& f) {
    f.address_base = 1;
    f.address_count = 65536;
  }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.checksum_base = 65536; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.priority = 8; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.burst_frames = 0; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.burst_frames = (1U << 24) + 1; }));
  EXPECT_TRUE(refused([](FlowConfig& f) { f.bursts = 0; }));
}

TEST(TemplateRow, PutsByteZeroInTheLowestBits) {
  FlowConfig flow;
  flow.head.resize(150);
  std::iota(flow.head.begin(), flow.head.end(), std::uint8_t{1});
  EXPECT_EQ(templateRow(flow, 0)[0], 0x04030201U);
  EXPECT_EQ(templateRow(flow, 0)[15], 0x403F3E3DU);
  EXPECT_EQ(templateRow(flow, 1)[0], 0x44434241U);
  // 150 bytes end in the middle of the third beat; the rest is zero.
  EXPECT_EQ(templateRow(flow, 2)[5], 0x00009695U);
  EXPECT_EQ(templateRow(flow, 2)[6], 0U);
  EXPECT_EQ(templateRow(flow, 3), regs::TableRow{});
}

TEST(ScheduleRow, HoldsDueTimeAndFlow) {
  FlowConfig flow = smallestFlow();
  flow.first_due = Picoseconds(0x0123456789ABCDE);
  const regs::TableRow row = scheduleRow(flow, 0xABC);
  EXPECT_EQ(bits(row, 15, 0), 0U);
  EXPECT_EQ(bits(row, 79, 16), 0x0123456789ABCDEU);
  EXPECT_EQ(bits(row, 91, 80), 0xABCU);
  EXPECT_EQ(bits(row, 95, 92), 0U);
  EXPECT_EQ(bits(row, 96, 96), 1U);
  flow.first_due = Picoseconds(-1);
  EXPECT_THROW(scheduleRow(flow, 0), Error);
}

// Sets bits [msb:lsb] of a row.
void put(regs::TableRow& row, unsigned msb, unsigned lsb, std::uint64_t value) {
  for (unsigned bit = lsb; bit <= msb; ++bit, value >>= 1) {
    row.at(bit / 32) |= static_cast<std::uint32_t>(value & 1U) << (bit % 32);
  }
}

TEST(RxFlowOf, ReadsEveryField) {
  regs::TableRow row{};
  put(row, 47, 0, 0xF00000000001);
  put(row, 103, 48, 0xF0000000000002);
  put(row, 151, 104, 0xF00000000003);
  put(row, 191, 152, 0xF000000004);
  put(row, 231, 192, 0xF000000005);
  put(row, 263, 232, 0xF0000006);
  put(row, 303, 264, 0xF000000007);
  put(row, 343, 304, 0xF000000008);
  put(row, 407, 344, 0xF000000000000009);
  put(row, 447, 408, 0xF00000000A);
  put(row, 454, 448, 0x7B);
  const RxFlow flow = rxFlowOf(row);
  EXPECT_EQ(flow.frames, 0xF00000000001U);
  EXPECT_EQ(flow.bytes, 0xF0000000000002U);
  EXPECT_EQ(flow.lost, 0xF00000000003U);
  EXPECT_EQ(flow.duplicate, 0xF000000004U);
  EXPECT_EQ(flow.out_of_order, 0xF000000005U);
  EXPECT_EQ(flow.stale, 0xF0000006U);
  EXPECT_EQ(flow.ce, 0xF000000007U);
  EXPECT_EQ(flow.bad_icrc, 0xF000000008U);
  EXPECT_EQ(flow.next_sequence, 0xF000000000000009U);
  EXPECT_EQ(flow.trimmed, 0xF00000000AU);
  EXPECT_EQ(flow.reorder_depth, 0x7BU);
}

TEST(TxStateOf, ReadsEveryField) {
  regs::TableRow row{};
  put(row, 63, 0, 0xF000000000000001);
  put(row, 95, 64, 0xF0000002);
  put(row, 120, 96, 0x1000003);
  const TxState state = txStateOf(row);
  EXPECT_EQ(state.frames, 0xF000000000000001U);
  EXPECT_EQ(state.bursts, 0xF0000002U);
  EXPECT_EQ(state.in_burst, 0x1000003U);
}

TEST(GroupSummaryOf, ReadsEveryField) {
  regs::TableRow row{};
  put(row, 47, 0, 0xF00000000001);
  put(row, 95, 48, 0xF00000000002);
  put(row, 143, 96, 0xF00000000003);
  put(row, 207, 144, 0xF000000000000004);
  put(row, 239, 208, 0xF0000005);
  const GroupSummary group = groupSummaryOf(row);
  EXPECT_EQ(group.count, 0xF00000000001U);
  EXPECT_EQ(group.minimum, 0xF00000000002U);
  EXPECT_EQ(group.maximum, 0xF00000000003U);
  EXPECT_EQ(group.sum_low, 0xF000000000000004U);
  EXPECT_EQ(group.sum_high, 0xF0000005U);
}

}  // namespace
}  // namespace plumbline::card
