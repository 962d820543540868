#include "bench/trial/message_refusals.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "bench/trial/card_parts.h"
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
  if (firstPayload(stream) < Bytes(0) || messageFrames(stream) == 0 ||
      messageBytes(stream) < Bytes(0) || messageBytes(stream) > capabilities.max_frame) {
    refuse(fmt::format("a message of {} B in {} frames", messageBytes(stream).count(),
                       messageFrames(stream)));
  }
  if (stream.queue_pairs && (stream.queue_pairs->counted || !stream.queue_pairs->weights.empty())) {
    refuse(
        "software takes queue pairs in turn and counts them together; the rtl bench has weights "
        "and counts of each");
  }
  if (const auto* burst = std::get_if<BurstLoad>(&stream.load)) {
    // The frames of one message, paced by the endpoints' own transport.
    if (burst->frames != messageFrames(stream) || burst->extra_gap != Bytes(0)) {
      refuse("software cannot send bursts of several messages at line rate; the rtl bench can");
    } else if (burst->bursts == 0 || (burst->bursts > 1 && burst->interval <= Picoseconds())) {
      refuse("no messages, or several at once");
    }
  } else if (std::get<ConstantLoad>(stream.load).rate.partsPerTrillion() <= 0) {
    refuse("a rate of nothing");
  }
  if (stream.start < Picoseconds() || stream.start >= spec.duration) {
    refuse("nothing to send in the trial's duration");
  }
}

}  // namespace

Bytes firstPayload(const StreamSpec& stream) {
  std::size_t headers = wire::EthernetHeader::kSize + wire::UdpHeader::kSize + wire::Bth::kSize +
                        wire::kIcrcSize + wire::kFcsSize;
  headers += stream.format.ipv6 ? wire::Ipv6Header::kSize : wire::Ipv4Header::kSize;
  if (stream.format.vlan_id) headers += wire::VlanTag::kSize;
  if (stream.format.transport == Transport::kRoceWrite) headers += wire::Reth::kSize;
  return stream.frame - Bytes(static_cast<std::int64_t>(headers));
}

std::uint32_t messageFrames(const StreamSpec& stream) {
  return stream.queue_pairs ? stream.queue_pairs->message_frames : 1;
}

Bytes messageBytes(const StreamSpec& stream) {
  if (stream.queue_pairs && stream.queue_pairs->message) return *stream.queue_pairs->message;
  const std::int64_t others = messageFrames(stream) - std::int64_t{1};
  // Frames of one length: those without RETH have its room for payload.
  const bool write = stream.format.transport == Transport::kRoceWrite;
  const Bytes other = firstPayload(stream) + Bytes(write ? std::int64_t{wire::Reth::kSize} : 0);
  return firstPayload(stream) + others * other;
}

std::vector<std::string> messageRefusals(const TrialSpec& spec, const Capabilities& capabilities) {
  std::vector<std::string> refusals;
  if (spec.streams.empty()) refusals.emplace_back("the trial has no streams");
  if (spec.transport || spec.workload || spec.fast_forward || spec.early_end ||
      spec.recordsFabric()) {
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
