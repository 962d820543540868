// The fields of `traffic:`.
#include "scenario/sections.h"
#include "scenario/spec_fields.h"
#include "spec/declare.h"

namespace plumbline::spec {
namespace {

using bench::FrameFormat;
using scenario::Direction;
using scenario::kMaxListed;
using scenario::Traffic;

constexpr const char* kOfProfile = "the profile's";

}  // namespace

template <>
const Fields& fieldsOf<FrameFormat>() {
  using bench::Transport;
  static const Fields kFields{
      field<&FrameFormat::transport>("transport",
                                     "RDMA WRITE Only, SEND Only, plain test frames, or Ultra "
                                     "Ethernet over UDP with the standard "
                                     "request header")
          .word("udp", Transport::kUdp)
          .word("rocev2-send", Transport::kRoceSend)
          .word("rocev2-write", Transport::kRoceWrite)
          .word("uet-rud", Transport::kUetRud)
          .word("uet-rod", Transport::kUetRod)
          .word("uet-rudi", Transport::kUetRudi)
          .word("uet-uud", Transport::kUetUud),
      field<&FrameFormat::ipv6>("ip", "Version").as("ipv6").word("4", false).word("6", true),
      field<&FrameFormat::vlan_id>("vlan", "802.1Q tag with the priority below")
          .in(1, 4094)
          .otherwise("untagged"),
      field<&FrameFormat::priority>("priority", "Of the frames").in(0, 7),
      field<&FrameFormat::dscp>(
          "dscp",
          "Tests that put streams into several priorities give those of another priority the class "
          "selector, 8 times the priority")
          .in(0, 63),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<Traffic>() {
  static const Fields kFields{
      inlined<&Traffic::format>(),
      field<&Traffic::frame_sizes>("frame_sizes", "With FCS; swept")
          .in(Bytes(64), Bytes(9216))
          .upTo(kMaxListed)
          .otherwise(kOfProfile),
      field<&Traffic::message_sizes>(
          "message_sizes",
          "RDMA payload of a single packet, 20B to 4KiB; of messages on ordinary hosts; "
          "`rocev2-…` only; swept")
          .in(Bytes(4), Bytes(std::int64_t{8} << 30))
          .multipleOf(4)
          .upTo(kMaxListed)
          .otherwise(kOfProfile),
      field<&Traffic::qps>(
          "qps",
          "Destination queue pairs, or packet delivery contexts of UET, per pair of "
          "hosts, each with its own UDP source port; not for `udp`, `uet-rudi`, "
          "`uet-uud`; swept")
          .in(1, 4096)
          .upTo(kMaxListed)
          .otherwise(kOfProfile),
      field<&Traffic::directions>("direction", "One way, or both at once; swept")
          .word("uni", Direction::kUnidirectional)
          .word("bi", Direction::kBidirectional)
          .upTo(2)
          .otherwise(kOfProfile),
      special(
          "pairs",
          "`all`: each host of the lower half to its counterpart in the upper half (host *i* to "
          "*i* + ⌊n/2⌋)",
          "`all`, or list of `[from, to]`",
          R"({"anyOf": [{"const": "all"}, {"type": "array", "minItems": 1, "items":
                 {"type": "array", "minItems": 2, "maxItems": 2,
                  "items": {"type": "integer", "minimum": 0}}}]})"),
  };
  return kFields;
}

}  // namespace plumbline::spec
