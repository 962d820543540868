// Sizes and fields of UET packets against the tables of the fact sheet.
#include "transport/uet/uet_wire.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/random.h"

namespace plumbline::transport_test {
namespace {

using transport::DataFields;
using transport::frameBytes;
using transport::nominalSize;
using transport::NsccState;
using transport::PdsType;
using transport::UetSpec;
using transport::unpaddedFrame;

// A.1.1, "Sum without payload", which includes the optional CRC.
TEST(UetWire, HeaderSumsOfTheFactSheet) {
  UetSpec spec;
  spec.crc = true;
  EXPECT_EQ(unpaddedFrame(spec, PdsType::kRudRequest, 44, 0), 106);
  EXPECT_EQ(unpaddedFrame(spec, PdsType::kRodRequest, 44, 0), 106);
  EXPECT_EQ(unpaddedFrame(spec, PdsType::kRudCcRequest, 44, 0), 110);
  EXPECT_EQ(unpaddedFrame(spec, PdsType::kRodCcRequest, 44, 0), 110);
  EXPECT_EQ(unpaddedFrame(spec, PdsType::kAck, 12, 0), 74);
  EXPECT_EQ(unpaddedFrame(spec, PdsType::kAckCc, 0, 0), 82);
  EXPECT_EQ(unpaddedFrame(spec, PdsType::kNack, 0, 0), 66);
  EXPECT_EQ(unpaddedFrame(spec, PdsType::kRudiRequest, 44, 0), 102);
  EXPECT_EQ(unpaddedFrame(spec, PdsType::kUudRequest, 44, 0), 98);
  spec.crc = false;
  EXPECT_EQ(unpaddedFrame(spec, PdsType::kRudRequest, 44, 0), 102);
  EXPECT_EQ(frameBytes(spec, PdsType::kNack, 0, 0), 64);     // 62 padded
  EXPECT_EQ(frameBytes(spec, PdsType::kControl, 0, 0), 64);  // 62 padded
  spec.ipv6 = true;
  EXPECT_EQ(unpaddedFrame(spec, PdsType::kRudRequest, 44, 4096), 122 + 4096);
}

TEST(UetWire, NominalSizeIsUdpLengthPlus40) {
  UetSpec spec;
  EXPECT_EQ(nominalSize(spec, PdsType::kRudRequest, 44, 4096), 8U + 12 + 44 + 4096 + 40);
  spec.crc = true;
  spec.ipv6 = true;  // does not count
  EXPECT_EQ(nominalSize(spec, PdsType::kRudCcRequest, 44, 100), 8U + 16 + 44 + 100 + 4 + 40);
}

TEST(UetWire, PaddingDoesNotBecomePayload) {
  // The smallest data frame, one byte of payload over UUD, is longer than the minimum anyway.
  EXPECT_GE(unpaddedFrame(UetSpec{}, PdsType::kUudRequest, transport::kSesResponseData, 1), 64);
}

TEST(UetWire, DataFieldsSurviveTheirPacking) {
  RandomStream random(1, "uet/wire");
  for (int i = 0; i < 10'000; ++i) {
    DataFields f;
    const bool has_pdc = random.below(2) == 0;
    f.syn = has_pdc && random.below(2) == 0;
    if (has_pdc) f.credit_target = static_cast<std::uint32_t>(random.below(1 << 24));
    if (f.syn || !has_pdc) f.psn_offset = static_cast<std::uint32_t>(random.below(4096));
    f.index = static_cast<std::uint32_t>(random.below(f.syn ? 4096 : 1 << 28));
    f.verb = static_cast<std::uint8_t>(random.below(4));
    f.last = random.below(2) == 0;
    f.ack_request = random.below(2) == 0;
    f.retx = random.below(2) == 0;
    f.response = random.below(2) == 0;
    const DataFields back = transport::unpackData(transport::packData(f, has_pdc), has_pdc);
    ASSERT_EQ(back.syn, f.syn);
    ASSERT_EQ(back.credit_target, f.credit_target);
    ASSERT_EQ(back.psn_offset, f.psn_offset);
    ASSERT_EQ(back.index, f.index);
    ASSERT_EQ(back.verb, f.verb);
    ASSERT_EQ(back.last, f.last);
    ASSERT_EQ(back.ack_request, f.ack_request);
    ASSERT_EQ(back.retx, f.retx);
    ASSERT_EQ(back.response, f.response);
  }
}

// The example ACK_CC of the fact sheet (A.9, 4) carries service 10, rcvd 4, ooo 0 as these 8 bytes.
TEST(UetWire, NsccStateIsLaidOutAsInTheExampleFrame) {
  NsccState state;
  state.service_time = 10;
  state.rcvd_bytes = 4;
  EXPECT_EQ(state.toBits(), 0x000a000000040000U);
  state.rcv_cwnd_pend = 127;
  state.ooo_count = 0x1234;
  const NsccState back = NsccState::fromBits(state.toBits());
  EXPECT_EQ(back.service_time, 10);
  EXPECT_EQ(back.rcv_cwnd_pend, 127);
  EXPECT_EQ(back.rcvd_bytes, 4U);
  EXPECT_EQ(back.ooo_count, 0x1234);
}

TEST(UetWire, OffsetsAreSigned) {
  const std::uint32_t aux = transport::packOffsets(-7, 300);
  EXPECT_EQ(transport::ackOffset(aux), -7);
  EXPECT_EQ(transport::sackOffset(aux), 300);
}

TEST(UetWire, SerialNumbersWrap) {
  EXPECT_EQ(transport::unwrapPsn(3, 0x1FFFFFFFEULL), 0x200000003ULL);
  EXPECT_EQ(transport::unwrapPsn(0xFFFFFFFE, 0x200000003ULL), 0x1FFFFFFFEULL);
  EXPECT_EQ(transport::unwrapPsn(5, 5), 5U);
  EXPECT_EQ(transport::distance24(0xFFFFFE, 2), 4);
  EXPECT_EQ(transport::distance24(2, 0xFFFFFE), -4);
  EXPECT_EQ(transport::distance24(0, 0x7FFFFF), 0x7FFFFF);
}

TEST(UetSpec, RejectsWhatIsOutOfRange) {
  EXPECT_NO_THROW(transport::validate(UetSpec{}));
  const auto rejects = [](auto change, const char* where) {
    UetSpec spec;
    change(spec);
    try {
      transport::validate(spec);
      ADD_FAILURE() << where << " was accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_EQ(error.where(), where);
      EXPECT_FALSE(error.remedy().empty());
    }
  };
  rejects([](UetSpec& s) { s.mtu_payload = 8193; }, "uet.mtu_payload");
  rejects([](UetSpec& s) { s.mp_range = 4097; }, "uet.mp_range");
  rejects([](UetSpec& s) { s.max_pdcs = 0; }, "uet.max_pdcs");
  rejects([](UetSpec& s) { s.rto = Picoseconds(0); }, "uet.rto");
  rejects([](UetSpec& s) { s.rccc.grant = Bytes(1000); }, "uet.rccc.grant");
  rejects([](UetSpec& s) { s.rccc.pace = Fraction::percent(101); }, "uet.rccc.pace");
  rejects([](UetSpec& s) { s.entropy.set_size = 100; }, "uet.entropy.set_size");
  rejects([](UetSpec& s) { s.nscc.max_md_jump = 0; }, "uet.nscc.max_md_jump");
  rejects([](UetSpec& s) { s.nscc.target_qdelay = Picoseconds(0); }, "uet.nscc.target_qdelay");
}

}  // namespace
}  // namespace plumbline::transport_test
