#include "bench/card/stream_frame.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "bench/trial/message_refusals.h"
#include "transport/roce/roce_packet.h"
#include "wire/addresses.h"
#include "wire/frame.h"
#include "wire/template.h"

namespace plumbline::bench {
namespace {

using transport::kFirstSourcePort;
using transport::kSourcePorts;

constexpr std::uint32_t kFirstQp = 0x100;
// Both ids of a packet delivery context have 16 bits.
constexpr std::uint32_t kFirstPdc = 0x100;
constexpr std::uint32_t kPdcIds = 0x10000 - kFirstPdc;
constexpr std::size_t kRethLengthFromEnd = 4;

// A frame of a stream: its first bytes and the offsets of its fields.
struct Frame {
  std::vector<std::uint8_t> head;
  std::uint32_t tag_offset = 0;
  std::uint32_t payload_offset = 0;
  bool icrc = false;
  bool aligned = true;  // its payload is a multiple of four bytes
};

// Its place in a message.
struct Place {
  bool first = true;
  bool last = true;
};

// Payload of the last frame of a message whose size is given.
Bytes lastPayload(const StreamSpec& stream) {
  return messageBytes(stream) - (messageFrames(stream) - std::int64_t{1}) * firstPayload(stream);
}

Bytes lengthOf(const StreamSpec& stream, const Place& place) {
  if (place.first || !stream.queue_pairs || !stream.queue_pairs->message) return stream.frame;
  const bool write = stream.format.transport == Transport::kRoceWrite;
  const Bytes middle = stream.frame - Bytes(write ? std::int64_t{wire::Reth::kSize} : 0);
  return place.last ? middle - firstPayload(stream) + lastPayload(stream) : middle;
}

// Source ports that the stream uses.
std::uint32_t entropyValues(const FrameFormat& format) {
  switch (format.entropy) {
    case Entropy::kPerQueuePair:
      return format.qps;
    case Entropy::kFixed:
      return 1;
    default:
      return format.entropy_values;
  }
}

std::uint8_t roceOpcode(Transport transport, const Place& place) {
  // First, Middle, Last and Only follow each other in both rows of the opcode table.
  const std::uint8_t first = transport == Transport::kRoceSend ? wire::roce_opcode::kRcSendFirst
                                                               : wire::roce_opcode::kRcWriteFirst;
  constexpr std::uint8_t kMiddle = 1;
  constexpr std::uint8_t kLast = 2;
  if (place.first && place.last) {
    return transport == Transport::kRoceSend ? wire::roce_opcode::kRcSendOnly
                                             : wire::roce_opcode::kRcWriteOnly;
  }
  if (place.first) return first;
  return static_cast<std::uint8_t>(first + (place.last ? kLast : kMiddle));
}

wire::StreamTemplateSpec templateSpec(const StreamSpec& stream, std::uint32_t index,
                                      const Place& place) {
  const FrameFormat& format = stream.format;
  wire::StreamTemplateSpec spec;
  spec.destination_mac = wire::hostMac(stream.to);
  spec.source_mac = wire::hostMac(stream.from);
  spec.vlan_id = format.vlan_id;
  spec.priority = format.priority;
  spec.ipv6 = format.ipv6;
  spec.source_ipv4 = wire::hostIpv4(stream.from);
  spec.destination_ipv4 = wire::hostIpv4(stream.to);
  spec.source_ipv6 = wire::hostIpv6(stream.from);
  spec.destination_ipv6 = wire::hostIpv6(stream.to);
  spec.dscp = format.dscp;
  spec.ecn = format.ect ? wire::Ecn::kEct0 : wire::Ecn::kNotEct;
  // Ports of one stream are consecutive, as a NIC's are for queue pairs opened one after another.
  // Different streams start at pseudo-random ports, which are the same in every trial.
  const std::uint32_t span = kSourcePorts - std::min(entropyValues(format), kSourcePorts - 1);
  spec.source_port = static_cast<std::uint16_t>(kFirstSourcePort + mix64(index) % span);
  if (isRoce(format.transport)) spec.roce_opcode = roceOpcode(format.transport, place);
  spec.dest_qp = kFirstQp + index * kQueuePairsPerStream;
  spec.virtual_address = 0x1000'0000'0000ULL + (static_cast<std::uint64_t>(index) << 32);
  spec.rkey = 0x1000 + index;
  // A frame longer than any receiver accepts has the headers of the longest accepted one.
  spec.length = static_cast<std::uint32_t>(
      std::min<std::int64_t>(lengthOf(stream, place).count(), wire::kMaxFrameSize));
  return spec;
}

Frame untaggedFrame(const wire::StreamTemplateSpec& spec) {
  const wire::StreamTemplate made = wire::makeStreamTemplate(spec);
  return {{made.bytes.begin(), made.bytes.end()},
          made.tag_off,
          made.pay_off,
          made.icrc,
          made.roce_aligned};
}

// ... of a RoCEv2 message. The RETH of its first frame gives the message's length.
Frame roceFrame(const StreamSpec& stream, std::uint32_t index, const Place& place) {
  Frame frame = untaggedFrame(templateSpec(stream, index, place));
  if (messageFrames(stream) > 1 && place.first &&
      stream.format.transport == Transport::kRoceWrite) {
    wire::store32(&frame.head[frame.tag_offset - kRethLengthFromEnd],
                  static_cast<std::uint32_t>(messageBytes(stream).count()));
  }
  return frame;
}

std::uint32_t pdcId(const StreamSpec& stream, std::uint32_t index, std::uint32_t pdc) {
  return kFirstPdc + (index * stream.format.qps + pdc) % kPdcIds;
}

wire::Pds pdsOf(const StreamSpec& stream, std::uint32_t index) {
  constexpr auto kNext = wire::PdsNext::kRequestStandard;
  switch (stream.format.transport) {
    case Transport::kUetRudi:
      return wire::PdsRudi{.next = kNext};
    case Transport::kUetUud:
      return wire::PdsUud{.next = kNext};
    default: {
      const auto id = static_cast<std::uint16_t>(pdcId(stream, index, 0));
      return wire::PdsRequest{.ordered = stream.format.transport == Transport::kUetRod,
                              .next = kNext,
                              .spdcid = id,
                              .target = {.dpdcid = id}};
    }
  }
}

std::size_t uetHeaders(const StreamSpec& stream) {
  wire::Buffer pds;
  wire::encodePds(pds, pdsOf(stream, 0));
  const FrameFormat& format = stream.format;
  return wire::EthernetHeader::kSize + (format.vlan_id ? wire::VlanTag::kSize : 0) +
         (format.ipv6 ? wire::Ipv6Header::kSize : wire::Ipv4Header::kSize) +
         wire::UdpHeader::kSize + pds.size() + wire::SesStandard::kSize;
}

Frame uetFrame(const StreamSpec& stream, std::uint32_t index, const Place& place) {
  const wire::StreamTemplateSpec addresses = templateSpec(stream, index, place);
  const std::size_t headers = uetHeaders(stream);
  const std::size_t payload = addresses.length - headers - wire::kFcsSize;
  wire::FrameSpec spec;
  spec.destination = addresses.destination_mac;
  spec.source = addresses.source_mac;
  if (addresses.vlan_id) {
    spec.vlan = wire::VlanTag{.pcp = addresses.priority, .vid = *addresses.vlan_id};
  }
  if (addresses.ipv6) {
    spec.network = wire::Ipv6Header{.dscp = addresses.dscp,
                                    .ecn = addresses.ecn,
                                    .source = addresses.source_ipv6,
                                    .destination = addresses.destination_ipv6};
  } else {
    spec.network = wire::Ipv4Header{.dscp = addresses.dscp,
                                    .ecn = addresses.ecn,
                                    .source = addresses.source_ipv4,
                                    .destination = addresses.destination_ipv4};
  }
  spec.udp = wire::UdpHeader{.source_port = addresses.source_port,
                             .destination_port = wire::udp_port::kUet};
  wire::SesStandard ses;
  ses.flags.opcode = wire::ses_opcode::kWrite;
  ses.flags.start_of_message = place.first;
  ses.flags.end_of_message = place.last;
  ses.request_length = static_cast<std::uint32_t>(payload) * messageFrames(stream);
  if (!place.first) ses.payload_length = static_cast<std::uint16_t>(payload);
  spec.transport = wire::UetLayer{.pds = pdsOf(stream, index), .ses = ses};
  const wire::Buffer zeros(payload);
  spec.payload = zeros;
  wire::Buffer bytes = wire::encodeFrame(spec);
  bytes.resize(std::min(wire::kTemplateSize, bytes.size() - wire::kFcsSize));
  const auto tag = static_cast<std::uint32_t>(headers);
  return {std::move(bytes), tag, tag + static_cast<std::uint32_t>(wire::TestTag::kSize), false,
          true};
}

Frame frameOf(const StreamSpec& stream, std::uint32_t index, const Place& place) {
  if (isUet(stream.format.transport)) return uetFrame(stream, index, place);
  return roceFrame(stream, index, place);
}

card::MessagePart partOf(const StreamSpec& stream, std::uint32_t index, const Place& place) {
  const Frame frame = frameOf(stream, index, place);
  return {frame.head, static_cast<std::uint32_t>(lengthOf(stream, place).count()),
          frame.payload_offset, frame.tag_offset};
}

// The list of queue pairs: in each round a pair has as many turns as its weight says. The turns of
// a pair are spaced evenly, so that no pair sends all its frames at once.
card::QueuePairs pairsOf(const StreamSpec& stream, std::uint32_t index) {
  card::QueuePairs list;
  const QueuePairSpec spec = stream.queue_pairs.value_or(QueuePairSpec{});
  for (std::uint32_t i = 0; i < stream.format.qps; ++i) {
    if (isUet(stream.format.transport)) {
      const std::uint32_t id = pdcId(stream, index, i);
      list.pairs.push_back({id << 16 | id, 0});
    } else {
      list.pairs.push_back({kFirstQp + index * kQueuePairsPerStream + i, 0});
    }
  }
  const std::uint32_t max =
      spec.weights.empty() ? 0 : *std::max_element(spec.weights.begin(), spec.weights.end());
  for (std::uint32_t step = 0; step < max; ++step) {
    for (std::uint32_t i = 0; i < spec.weights.size(); ++i) {
      // Pair i has floor((step + 1) * w / most) turns after this step.
      const std::uint64_t w = spec.weights[i];
      if ((step + 1) * w / max > step * w / max) list.turns.push_back(i);
    }
  }
  list.row_per_pair = spec.counted;
  return list;
}

bool hasContexts(Transport transport) {
  return isRoce(transport) || transport == Transport::kUetRud || transport == Transport::kUetRod;
}

}  // namespace

std::uint32_t minimumFrame(const StreamSpec& stream, std::uint32_t index) {
  if (isUet(stream.format.transport)) {
    return static_cast<std::uint32_t>(uetHeaders(stream) + wire::TestTag::kSize + wire::kFcsSize);
  }
  return wire::minimumTaggedLength(templateSpec(stream, index, {}));
}

std::optional<std::string> headerRefusal(const StreamSpec& stream, std::uint32_t index) {
  const FrameFormat& format = stream.format;
  if (format.entropy_values == 0 || format.entropy_values > kSourcePorts) {
    return fmt::format("{} values of entropy, there are 1 to {}", format.entropy_values,
                       kSourcePorts);
  }
  // Of plain UDP they are as many source ports.
  if (isUet(format.transport) && !hasContexts(format.transport) && format.qps != 1) {
    return "several queue pairs, but its frames belong to none";
  }
  if (!stream.queue_pairs) return std::nullopt;
  const QueuePairSpec& pairs = *stream.queue_pairs;
  if (!hasContexts(format.transport)) {
    return "messages or counts of queue pairs, but its frames belong to none";
  }
  std::uint64_t turns = 0;
  for (const std::uint32_t weight : pairs.weights) turns += weight;
  if (!pairs.weights.empty() && pairs.weights.size() != format.qps) {
    return fmt::format("{} weights for {} queue pairs", pairs.weights.size(), format.qps);
  }
  if (std::find(pairs.weights.begin(), pairs.weights.end(), 0U) != pairs.weights.end()) {
    return "a queue pair of weight 0 never sends";
  }
  if (turns > card::kQueuePairEntries) {
    return fmt::format(
        "{} turns a round, the card has {}; a stream for each weight, with its share of the load, "
        "needs one for each queue pair only",
        turns, card::kQueuePairEntries);
  }
  if (pairs.message_frames == 0 || pairs.message_frames > 65535) {
    return fmt::format("messages of {} frames, the card can do 1 to 65535", pairs.message_frames);
  }
  if (pairs.message) {
    if (!isRoce(format.transport)) return "messages whose bytes are given, which RoCE alone has";
    if (lastPayload(stream) <= Bytes(0) || lastPayload(stream) > firstPayload(stream) ||
        messageBytes(stream) >= Bytes(std::int64_t{1} << 32)) {
      return fmt::format("messages of {} B in {} frames of {} B of payload", pairs.message->count(),
                         pairs.message_frames, firstPayload(stream).count());
    }
    const Bytes last = lengthOf(stream, {false, true});
    const Bytes min(wire::minimumTaggedLength(templateSpec(stream, index, {false, true})));
    if (pairs.message_frames > 1 && last < min) {
      return fmt::format("a last frame of {} B, which the test tag does not fit into",
                         last.count());
    }
  }
  if (pairs.message_frames > 1 && isRoce(format.transport)) {
    for (const Place place : {Place{true, false}, Place{false, false}, Place{false, true}}) {
      if (!frameOf(stream, index, place).aligned) {
        return "frames of a message whose payload is no multiple of four bytes";
      }
    }
  }
  return std::nullopt;
}

std::uint64_t bytesSent(const StreamSpec& stream, std::uint64_t frames) {
  const auto length = [&](const Place& place) {
    return static_cast<std::uint64_t>(lengthOf(stream, place).count());
  };
  const std::uint64_t of_message = messageFrames(stream);
  const std::uint64_t messages = frames / of_message;
  // Of one that was not finished the last frame is missing.
  const std::uint64_t rest = frames % of_message;
  const std::uint64_t firsts = messages + (rest > 0 ? 1 : 0);
  const std::uint64_t lasts = of_message > 1 ? messages : 0;
  return firsts * length({true, of_message == 1}) + lasts * length({false, true}) +
         (frames - firsts - lasts) * length({false, false});
}

card::FlowConfig flowOf(const StreamSpec& stream, std::uint32_t index) {
  const FrameFormat& format = stream.format;
  const wire::StreamTemplateSpec spec = templateSpec(stream, index, {});
  const bool message = messageFrames(stream) > 1;
  const Frame first = frameOf(stream, index, {true, !message});
  card::FlowConfig flow;
  flow.head = first.head;
  flow.length = static_cast<std::uint32_t>(stream.frame.count());
  flow.payload_offset = first.payload_offset;
  flow.tag_offset = first.tag_offset;
  flow.vlan = format.vlan_id.has_value();
  flow.ipv6 = format.ipv6;
  flow.roce = isRoce(format.transport);
  flow.uet = isUet(format.transport);
  flow.icrc = first.icrc;
  flow.modify_psn = flow.roce || (flow.uet && format.transport != Transport::kUetUud);
  flow.modify_qp = hasContexts(format.transport);
  flow.psn_base = spec.psn;
  flow.qp_base = spec.dest_qp;
  flow.qp_count = format.qps;
  flow.source_port_base = spec.source_port;
  flow.source_port_count = entropyValues(format);
  switch (format.entropy) {
    case Entropy::kPerQueuePair:
      flow.source_port_mode = card::SourcePortMode::kFollowsQp;
      break;
    case Entropy::kFixed:
      flow.source_port_mode = card::SourcePortMode::kTemplate;
      break;
    case Entropy::kRoundRobin:
      flow.source_port_mode = card::SourcePortMode::kPerFrame;
      break;
    case Entropy::kRandom:
      flow.source_port_mode = card::SourcePortMode::kRandom;
      flow.source_port_seed = mix64(index);
      break;
  }
  flow.priority = format.priority;
  if (stream.queue_pairs || (flow.uet && flow.modify_qp)) {
    flow.queue_pairs = pairsOf(stream, index);
  }
  if (message) {
    flow.message = card::Message{messageFrames(stream), partOf(stream, index, {false, false}),
                                 partOf(stream, index, {false, true})};
  }
  return flow;
}

}  // namespace plumbline::bench
