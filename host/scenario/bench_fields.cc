// The fields of `endpoint:`, `fpga:` and `fast_forward:`.
#include "scenario/spec_fields.h"
#include "spec/declare.h"

namespace plumbline::spec {
namespace {

using bench::Connection;
using bench::EndpointSpec;
using bench::FastForwardSpec;
using bench::FpgaSpec;
using bench::Operation;
using bench::QueuePairService;

constexpr std::size_t kLongestName = 64;
// A MAC's delay is a few hundred nanoseconds.
constexpr Picoseconds kLongestDelay = microseconds(10);
constexpr const char* kTextSchema = R"({"type": "string"})";

Field otherwise(std::string meaning, Field field) {
  field.absent = std::move(meaning);
  return field;
}

}  // namespace

template <>
const Fields& fieldsOf<EndpointSpec>() {
  using E = EndpointSpec;
  static const Fields kFields{
      field<&E::provider>("provider", "libfabric: the provider").longest(kLongestName),
      field<&E::device>("device", "libfabric: the domain; verbs: the device")
          .longest(kLongestName)
          .otherwise("the first"),
      otherwise("`127.0.0.1`", special("address", "Of this host, where a provider has IP addresses",
                                       "an IP address", kTextSchema)),
      otherwise("both ends on this host",
                special("peer", "Host with the target program", "an IP address", kTextSchema)),
      otherwise("`address` and `peer`",
                special("peers", "Of a scenario that several hosts run: where each sends to",
                        "a map of addresses to addresses, at most 64", R"({"type": "object"})")),
      otherwise("none", special("token_file", "Its first line is the token of the target program",
                                "a file in the scenario's folder", kTextSchema)),
      field<&E::window>("window", "Messages under way of each queue pair, at most")
          .in(1, E::kMaxWindow),
      field<&E::port>("port", "verbs: port of the device").in(1, 255),
      field<&E::gid_index>("gid_index", "verbs: index of the address").in(0, 255),
      field<&E::peer_port>("peer_port", "TCP port of the target program").in(1, 65'535),
      field<&E::operation>("operation", "How messages are sent")
          .word("write", Operation::kWrite)
          .word("write-immediate", Operation::kWriteImmediate)
          .word("send", Operation::kSend)
          .word("read", Operation::kRead)
          .otherwise("what `traffic.transport` says"),
      field<&E::service>("service", "verbs: reliable or unreliable connections; `uc` has no read")
          .word("rc", QueuePairService::kReliable)
          .word("uc", QueuePairService::kUnreliable),
      field<&E::connection>("connection", "verbs: how queue pairs get to know each other")
          .word("out-of-band", Connection::kOutOfBand)
          .word("rdma-cm", Connection::kConnectionManager),
  };
  return kFields;
}

template <>
const Fields& fieldsOf<FpgaSpec>() {
  static const Fields kFields = [] {
    Field xclbin = special("xclbin", "The packed card", "a file", kTextSchema);
    xclbin.required = true;
    return Fields{
        std::move(xclbin),
        otherwise("`0`",
                  special("devices", "The cards; their ports are the tester's in this order",
                          "a number, or a PCIe address (`plumbline ports`); one or a list", "{}")),
        field<&FpgaSpec::tx_delay>("tx_delay",
                                   "The MAC's part of a way, from the card's boundary to the port")
            .in(Picoseconds(0), kLongestDelay)
            .otherwise("not calibrated, and so part of every latency"),
        field<&FpgaSpec::rx_delay>("rx_delay", "And back")
            .in(Picoseconds(0), kLongestDelay)
            .otherwise("not calibrated, and so part of every latency"),
        field<&FpgaSpec::fec>("fec", "Forward error correction of the ports' links")
            .word("either", card::MacFec::kEither)
            .word("rs", card::MacFec::kOn)
            .word("off", card::MacFec::kOff),
        field<&FpgaSpec::time>("time", "Who makes the times of several cards agree")
            .word("host", bench::CardTime::kHost)
            .word("firmware", bench::CardTime::kFirmware),
    };
  }();
  return kFields;
}

template <>
const Fields& fieldsOf<FastForwardSpec>() {
  static const Fields kFields{
      field<&FastForwardSpec::packets>("packets", "Of data, simulated at most")
          .in(1, 1'000'000'000'000),
  };
  return kFields;
}

}  // namespace plumbline::spec
