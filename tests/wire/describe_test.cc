#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/frame.h"
#include "worked_frames.h"

namespace plumbline::wire {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string describeWorked(const std::string& name) {
  const test::WorkedFrame& worked = test::workedFrame(name);
  return describe(decodeFrame(worked.bytes, worked.options));
}

TEST(Describe, RoceWriteInFull) {
  EXPECT_EQ(describeWorked("roce_write_only_vlan"),
            "Ethernet  02:00:00:00:00:01 -> 02:00:00:00:00:02, type 0x0800, 146 bytes,"
            " FCS 21d117bd ok\n"
            "802.1Q    VID 100, PCP 3\n"
            "IPv4      198.18.0.1 -> 198.18.0.2, DSCP 26, ECT(0), TTL 64, protocol 17, length 124,"
            " checksum adde ok\n"
            "UDP       49443 -> 4791, length 104\n"
            "BTH       RC RDMA WRITE Only (0x0a), QP 0x000012, PSN 256, P_Key 0xffff, pad 0,"
            " AckReq, ICRC 81f847b8 ok\n"
            "RETH      VA 0x12345000, R_Key 0xabcd, DMA length 64\n"
            "Payload   64 bytes\n");
}

TEST(Describe, NamesEveryLayer) {
  EXPECT_THAT(describeWorked("roce_write_only_ipv6"),
              HasSubstr("IPv6      2001:2::1 -> 2001:2::2, DSCP 26, ECT(0), flow label 0x12345"));
  EXPECT_THAT(describeWorked("roce_write_only_ipv6_udp_checksum"), HasSubstr("checksum 80a0 ok"));
  EXPECT_THAT(describeWorked("roce_write_only_routed_ce"), HasSubstr(" CE, TTL 63"));
  EXPECT_THAT(describeWorked("roce_cnp"), HasSubstr("CNP (0x81)"));
  EXPECT_THAT(describeWorked("roce_cnp"), HasSubstr("BECN"));
  EXPECT_THAT(describeWorked("roce_ack"), HasSubstr("AETH      ACK, credit code 31, MSN 1"));
  EXPECT_THAT(describeWorked("pfc_xoff"), HasSubstr("priority 3: pause 65535 quanta"));
  EXPECT_THAT(describeWorked("pfc_xon"), HasSubstr("priority 3: go on"));
  EXPECT_THAT(describeWorked("cc_update"), HasSubstr("from VC 0: 74565 0 0"));
  EXPECT_THAT(describeWorked("uet_rud_write_crc"), HasSubstr("PDS       RUD_REQ, PSN 65536"));
  EXPECT_THAT(describeWorked("uet_rud_write_crc"), HasSubstr("CRC 00f81433 ok"));
  EXPECT_THAT(describeWorked("uet_rud_write_crc"), HasSubstr("SES       WRITE request, job 10"));
  EXPECT_THAT(describeWorked("uet_ack_response"), HasSubstr("SES       response OK, message 1"));
  EXPECT_THAT(describeWorked("uet_ack_cc_nscc"), HasSubstr("NSCC service time 10"));
  EXPECT_THAT(describeWorked("uet_nack_trimmed"), HasSubstr("TRIMMED (0x01), PSN 65537"));
}

TEST(Describe, SaysWhatIsWrongAndWhatWouldBeRight) {
  Buffer bytes = test::workedFrame("roce_write_only").bytes;
  bytes[100] ^= 1;
  const std::string text = describe(decodeFrame(bytes));
  EXPECT_THAT(text, HasSubstr("FCS 5f7b1dc6 WRONG, expected "));
  EXPECT_THAT(text, HasSubstr("ICRC 81f847b8 WRONG, expected "));
  EXPECT_THAT(text, HasSubstr("checksum adde ok"));
  EXPECT_THAT(text, Not(HasSubstr("ERROR")));
  bytes.resize(50);
  EXPECT_THAT(describe(decodeFrame(bytes)),
              HasSubstr("ERROR     a header or stated length exceeds the frame (at byte 14)"));
}

TEST(Describe, ShowsTheTestTag) {
  Buffer payload;
  append(payload, TestTag{TestTag::makeId(2, 7), 41, 123456789});
  FrameSpec spec = test::workedFrame("roce_write_only").spec;
  spec.payload = payload;
  EXPECT_THAT(describe(decodeFrame(encodeFrame(spec))),
              HasSubstr("Test tag  group 2, row 7, sequence 41, departure 123456789 ps\n"));
}

}  // namespace
}  // namespace plumbline::wire
