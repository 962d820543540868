#include "bench/message_refusals.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "bench/card_parts.h"
#include "wire/crc.h"
#include "wire/ethernet.h"
#include "wire/ip.h"
#include "wire/roce.h"
#include "wire/udp.h"

namespace plumbline::bench {
namespace {

void refuseStream(const TrialSpec& spec, const StreamSpec& stream, const Capabilities& capabilities,
                  std::vector<std::string>& refusals) {
  const auto refuse = [&](const std::string& why) {
    refusals.push_back(fmt::format("stream '{}': {}", stream.name, why));
  };
  const std::uint32_t hosts = spec.dut.hostCount();
  if (stream.from >= hosts || stream.to >= hosts || stream.from == stream.to) {
    refuse(fmt::format("from host {} to host {} of a DUT with {} hosts", stream.from, stream.to,
                       hosts));
  }
  if (!isRoce(stream.format.transport)) {
    refuse(
        "the endpoints' own transport carries messages; say rocev2-write or rocev2-send. UDP and "
        "UET frames of the tester's making need the rtl bench");
    return;
  }
  if (stream.format.qps == 0 || stream.format.qps > capabilities.max_qps) {
    refuse(fmt::format("{} queue pairs, the bench can do 1 to {}", stream.format.qps,
                       capabilities.max_qps));
  }
  if (messageBytes(stream) < Bytes(0) || stream.frame > capabilities.max_frame) {
    refuse(fmt::format("a message of {} B", messageBytes(stream).count()));
  }
  const auto* constant = std::get_if<ConstantLoad>(&stream.load);
  if (constant == nullptr) {
    refuse("software cannot send bursts at line rate; the rtl bench can");
  } else if (constant->rate.partsPerTrillion() <= 0) {
    refuse("a rate of nothing");
  }
  if (stream.start < Picoseconds() || stream.start >= spec.duration) {
    refuse("nothing to send in the trial's duration");
  }
}

}  // namespace

Bytes messageBytes(const StreamSpec& stream) {
  std::size_t headers = wire::EthernetHeader::kSize + wire::UdpHeader::kSize + wire::Bth::kSize +
                        wire::kIcrcSize + wire::kFcsSize;
  headers += stream.format.ipv6 ? wire::Ipv6Header::kSize : wire::Ipv4Header::kSize;
  if (stream.format.vlan_id) headers += wire::VlanTag::kSize;
  if (stream.format.transport == Transport::kRoceWrite) headers += wire::Reth::kSize;
  return stream.frame - Bytes(static_cast<std::int64_t>(headers));
}

std::vector<std::string> messageRefusals(const TrialSpec& spec, const Capabilities& capabilities) {
  std::vector<std::string> refusals;
  if (spec.streams.empty()) refusals.emplace_back("the trial has no streams");
  if (spec.transport || spec.workload || spec.fast_forward || spec.sampling) {
    refusals.emplace_back("workloads and samples of them need the sim bench");
  }
  if (spec.capture_port) {
    refusals.emplace_back("there are no frames to capture: software sees messages; rtl captures");
  }
  if (spec.dut.hostCount() > capabilities.max_ports) {
    refusals.push_back(fmt::format("the DUT has {} hosts, the bench at most {}",
                                   spec.dut.hostCount(), capabilities.max_ports));
  }
  for (const StreamSpec& stream : spec.streams) refuseStream(spec, stream, capabilities, refusals);
  for (std::string& why : cardPartRefusals(spec, capabilities)) refusals.push_back(std::move(why));
  return refusals;
}

}  // namespace plumbline::bench
