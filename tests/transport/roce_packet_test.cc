#include "transport/roce/roce_packet.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "transport/roce/roce_qp.h"
#include "wire/roce.h"

namespace plumbline::transport_test {
namespace {

using namespace transport;  // NOLINT(google-build-using-namespace): a test of one header

// Lengths of the worked example frames, and the overheads stated for each kind.
TEST(RoceFrames, WorkedExamples) {
  const RoceFrames v4(RoceSpec{});
  EXPECT_EQ(v4.bytes(roce_code::kWriteOnly, 64), 142);
  EXPECT_EQ(v4.bytes(roce_code::kWriteOnly, 5), 86);
  EXPECT_EQ(v4.bytes(roce_code::kAcknowledge, 0), 66);
  EXPECT_EQ(v4.bytes(roce_code::kCnp, 0), 78);
  EXPECT_EQ(v4.bytes(roce_code::kReadRequest, 0), 78);
  EXPECT_EQ(v4.bytes(roce_code::kWriteFirst, 4096), 78 + 4096);
  EXPECT_EQ(v4.bytes(roce_code::kWriteMiddle, 4096), 62 + 4096);
  EXPECT_EQ(v4.bytes(roce_code::kWriteLast, 1), 66);
  EXPECT_EQ(v4.bytes(roce_code::kSendOnly, 1024), 62 + 1024);
  EXPECT_EQ(v4.bytes(roce_code::kWriteOnlyImmediate, 256), 82 + 256);
  EXPECT_EQ(v4.bytes(roce_code::kReadResponseFirst, 4096), 66 + 4096);
  EXPECT_EQ(v4.bytes(roce_code::kReadResponseMiddle, 4096), 62 + 4096);
  EXPECT_EQ(v4.selectiveNakBytes(), 74);
  RoceSpec spec;
  spec.vlan = true;
  EXPECT_EQ(RoceFrames(spec).bytes(roce_code::kWriteOnly, 64), 146);
  spec.vlan = false;
  spec.ipv6 = true;
  EXPECT_EQ(RoceFrames(spec).bytes(roce_code::kWriteOnly, 64), 162);
}

// Against the codec's opcode table, for every opcode in either of them.
TEST(RoceFrames, AgreeWithTheCodec) {
  const RoceFrames frames(RoceSpec{});
  int known = 0;
  for (unsigned code = 0; code < kRoceCodes; ++code) {
    const auto small = static_cast<std::uint8_t>(code);
    if (meaningOf(small).kind == RoceKind::kNone) continue;
    if (meaningOf(small).kind == RoceKind::kConnection) continue;  // UD, which the codec has not
    ++known;
    const wire::RoceOpcode* opcode = wire::findRoceOpcode(bthOpcode(small));
    ASSERT_NE(opcode, nullptr) << code;
    const std::size_t extension =
        small == roce_code::kCnp ? wire::kCnpReservedSize : opcode->extensionSize();
    for (const std::size_t payload : {1, 4, 255, 4096}) {
      if (!opcode->payload) break;
      const std::size_t bytes = 14 + 20 + 8 + 12 + extension + (payload + 3) / 4 * 4 + 4 + 4;
      EXPECT_EQ(frames.bytes(small, static_cast<std::uint32_t>(payload)),
                std::max<std::size_t>(64, bytes))
          << code;
    }
    EXPECT_EQ(frames.bytes(small, 0), std::max<std::size_t>(64, 62 + extension)) << code;
    EXPECT_EQ(meaningOf(small).uc, opcode->transport == wire::RoceTransport::kUc) << code;
  }
  EXPECT_EQ(known, 10 + 10 + 5 + 1 + 1);
}

TEST(RoceFrames, CodesNameTheirPlaceInTheMessage) {
  for (const RoceService service : {RoceService::kRc, RoceService::kUc}) {
    for (const Verb verb : {Verb::kWrite, Verb::kWriteImmediate, Verb::kSend}) {
      for (const bool first : {false, true}) {
        for (const bool last : {false, true}) {
          const RoceMeaning& meaning = meaningOf(requestCode(service, verb, first, last));
          EXPECT_EQ(meaning.kind, RoceKind::kRequest);
          EXPECT_EQ(meaning.first, first);
          EXPECT_EQ(meaning.last, last);
          EXPECT_EQ(meaning.uc, service == RoceService::kUc);
          EXPECT_TRUE(!last || meaning.verb == verb);
        }
      }
    }
  }
}

TEST(RocePsn, NumbersSurviveTheWrap) {
  for (const std::uint32_t first : {0U, 0x10U, 0xFFFFF0U, 0xFFFFFFU}) {
    for (const std::int64_t near : {std::int64_t{0}, std::int64_t{15}, std::int64_t{1} << 24,
                                    (std::int64_t{1} << 40) + 12345}) {
      for (const std::int64_t distance : {-(1 << 23), -65536, -1, 0, 1, 100, (1 << 23) - 1}) {
        const std::int64_t number = near + distance;
        const auto psn =
            static_cast<std::uint32_t>(((first + number) % (1 << 24) + (1 << 24)) % (1 << 24));
        EXPECT_EQ(psnOf(number, first), psn);
        EXPECT_EQ(numberOf(psn, first, near), number);
      }
    }
  }
}

// Memory of an idle QP on either side, and of each open message.
TEST(RoceState, StaysWithinItsBudget) {
  EXPECT_LE(sizeof(Qp), 256U);
  EXPECT_LE(sizeof(OpenMessage), 64U);
  EXPECT_LE(sizeof(ReadJob), 40U);
}

TEST(RoceSpec, ImpossibleParametersAreRefused) {
  const auto refused = [](auto change) {
    RoceSpec spec;
    change(spec);
    EXPECT_THROW(validate(spec), Error);
  };
  EXPECT_NO_THROW(validate(RoceSpec{}));
  refused([](RoceSpec& s) { s.path_mtu = 1500; });
  refused([](RoceSpec& s) { s.path_mtu = 128; });
  refused([](RoceSpec& s) { s.path_mtu = 8192; });
  refused([](RoceSpec& s) { s.data_priority = 8; });
  refused([](RoceSpec& s) { s.first_psn = 1U << 24; });
  refused([](RoceSpec& s) { s.window_packets = (1U << 22) + 1; });
  refused([](RoceSpec& s) { s.reorder_packets = 100; });
  refused([](RoceSpec& s) { s.reorder_packets = 32; });
  refused([](RoceSpec& s) { s.selective_nak_bytes = 65; });
  refused([](RoceSpec& s) { s.ack_timeout = Picoseconds{0}; });
  refused([](RoceSpec& s) { s.max_ack_timeout = s.ack_timeout - Picoseconds{1}; });
  refused([](RoceSpec& s) { s.setup_time = Picoseconds{-1}; });
  refused([](RoceSpec& s) {
    s.dcqcn.enabled = true;
    s.dcqcn.g = 2;
  });
}

TEST(RoceSpec, LocalAckTimeoutCodes) {
  EXPECT_EQ(RoceSpec::localAckTimeout(1), Picoseconds{8'192'000});
  EXPECT_EQ(RoceSpec::localAckTimeout(8), Picoseconds{1'048'576'000});
  EXPECT_EQ(RoceSpec::localAckTimeout(14), Picoseconds{67'108'864'000});
}

}  // namespace
}  // namespace plumbline::transport_test
