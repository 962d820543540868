#include "transport/stream/stream_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "transport/roce/roce_packet.h"

namespace plumbline::transport {
namespace {

constexpr std::uint32_t kMaxQps = 4096;
constexpr std::uint32_t kFirstQp = 0x100;
constexpr int kSequenceBits = 40;  // of Packet::extra; the row has the rest
constexpr std::uint64_t kSequenceMask = (std::uint64_t{1} << kSequenceBits) - 1;

const char* mistakeIn(const PlainStream& stream) {
  const auto share = [](Fraction rate) { return rate > Fraction() && rate <= Fraction::one(); };
  if (stream.from > kMaxHost || stream.to > kMaxHost) return "a host above 65535";
  if (stream.from == stream.to) return "from a host to itself";
  if (stream.frame < Bytes(64) || stream.frame > Bytes(9216)) return "frames not of 64 to 9216 B";
  if (stream.priority > 7) return "a priority above 7";
  if (stream.qps == 0 || stream.qps > kMaxQps) return "not 1 to 4096 queue pairs";
  if (stream.start < Picoseconds()) return "a start time before the common start";
  if (const auto* bursts = std::get_if<FrameBursts>(&stream.load)) {
    if (bursts->frames == 0 || bursts->bursts == 0) return "bursts without frames";
    if (bursts->extra_gap < Bytes(0)) return "a gap below the minimum";
    if (bursts->interval < Picoseconds()) return "a negative interval of bursts";
    return nullptr;
  }
  if (const auto* constant = std::get_if<ConstantRate>(&stream.load)) {
    return share(constant->rate) ? nullptr : "a rate not above 0 and at most 1";
  }
  if (const auto* on_off = std::get_if<OnOffRate>(&stream.load)) {
    if (on_off->on <= Picoseconds() || on_off->off < Picoseconds()) return "never on";
    return share(on_off->rate) ? nullptr : "a rate not above 0 and at most 1";
  }
  return share(std::get<PoissonRate>(stream.load).rate) ? nullptr
                                                        : "a rate not above 0 and at most 1";
}

}  // namespace

StreamPlan::StreamPlan(std::vector<PlainStream> streams, BitRate rate)
    : streams_(std::move(streams)), rate_(rate) {
  std::vector<std::uint32_t> ending(kMaxHost + 1, 0);
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (const char* mistake = mistakeIn(streams_[i])) {
      throw Error(ErrorKind::kUsage, fmt::format("stream {}: {}", i, mistake));
    }
    rows_.push_back(ending[streams_[i].to]++);
  }
}

SequenceWindow::SequenceWindow(std::uint32_t size, std::uint32_t largest)
    : bits_(size / 64), largest_(largest), forgets_(size == largest) {
  if (size < 64 || !std::has_single_bit(size)) {
    throw Error(ErrorKind::kUsage, fmt::format("a window of {} sequence numbers", size), {},
                "a power of two from 64 on");
  }
  if (largest < size || !std::has_single_bit(largest)) {
    throw Error(ErrorKind::kUsage, fmt::format("a largest window of {} sequence numbers", largest),
                {}, fmt::format("a power of two from {} on", size));
  }
}

void SequenceWindow::makeRoom(std::uint64_t sequence, std::uint64_t next) {
  const auto losesOne = [&] {
    if (sequence - next >= size()) return true;
    for (std::uint64_t number = std::max(next, size()); number <= sequence; ++number) {
      if (!seen(number - size())) return true;
    }
    return false;
  };
  while (size() < largest_ && losesOne()) grow(next);
  forgets_ = forgets_ || losesOne();
}

// All numbers that have left the window so far had arrived.
void SequenceWindow::grow(std::uint64_t next) {
  std::vector<std::uint64_t> larger(2 * bits_.size(), ~std::uint64_t{0});
  larger.swap(bits_);
  for (std::uint64_t number = next - std::min<std::uint64_t>(next, larger.size() * 64);
       number < next; ++number) {
    const std::uint64_t bit = std::uint64_t{1} << number % 64;
    if ((larger[number / 64 & (larger.size() - 1)] & bit) == 0) word(number) &= ~bit;
  }
}

SequenceWindow::Verdict SequenceWindow::add(std::uint64_t sequence, StreamReceived& counts) {
  const std::uint64_t bit = std::uint64_t{1} << sequence % 64;
  if (sequence >= counts.next_sequence) {
    // Numbers that are skipped have not been seen.
    const std::uint64_t skipped = sequence - counts.next_sequence;
    if (skipped > 0 || (sequence >= size() && !seen(sequence))) {
      makeRoom(sequence, counts.next_sequence);
    }
    const std::uint64_t first = sequence - std::min(skipped, size() - 1);
    for (std::uint64_t number = first; number < sequence; ++number) {
      word(number) &= ~(std::uint64_t{1} << number % 64);
    }
    word(sequence) |= bit;
    counts.lost += skipped;
    counts.next_sequence = sequence + 1;
    return Verdict::kNew;
  }
  const bool older = counts.next_sequence - sequence > size();
  if (older && forgets_) {
    ++counts.stale;
    return Verdict::kStale;
  }
  if (older || (word(sequence) & bit) != 0) {
    ++counts.duplicate;
    return Verdict::kDuplicate;
  }
  word(sequence) |= bit;
  ++counts.out_of_order;
  --counts.lost;
  return Verdict::kOutOfOrder;
}

StreamProtocol::StreamProtocol(const HostContext& context, std::shared_ptr<const StreamPlan> plan,
                               const StreamOptions& options)
    : context_(context), plan_(std::move(plan)), options_(options) {
  for (std::uint32_t i = 0; i < plan_->streams().size(); ++i) {
    if (plan_->streams()[i].from == context_.self) addSender(i);
    if (plan_->streams()[i].to == context_.self) addReceiver(i);
  }
  std::make_heap(heap_.begin(), heap_.end());
  if (!heap_.empty()) setWakeAt(atOrAfter(heap_.front().time));
}

void StreamProtocol::addSender(std::uint32_t stream) {
  const PlainStream& spec = plan_->streams()[stream];
  fabric::Packet head;
  head.destination = static_cast<std::uint16_t>(spec.to);
  head.source = static_cast<std::uint16_t>(spec.from);
  head.length = static_cast<std::uint16_t>(spec.frame.count());
  head.priority = spec.priority & 7U;
  head.ect = spec.ect;
  head.trimmable = spec.trimmable;
  head.opcode = opcodeOf(ProtocolId::kStream, 0);
  head.connection = (kFirstQp + stream * kMaxQps) & 0xFFFFFFU;
  head.aux = stream;
  head.extra = static_cast<std::uint64_t>(plan_->row(stream)) << kSequenceBits;
  const std::uint32_t span = kSourcePorts - spec.qps;
  const auto port = kFirstSourcePort + static_cast<std::uint32_t>(mix64(stream) % span);
  SenderState sender(StreamClock(spec, plan_->rate(), context_.seed, stream), head, spec.qps, port);
  if (options_.stops_at_end && !std::holds_alternative<FrameBursts>(spec.load)) {
    sender.end = spec.end;
  }
  if (sender.clock.pending()) {
    heap_.push_back({sender.clock.due(), static_cast<std::uint32_t>(senders_.size())});
  }
  senders_.push_back(sender);
  sent_streams_.push_back(stream);
}

void StreamProtocol::addReceiver(std::uint32_t stream) {
  const PlainStream& spec = plan_->streams()[stream];
  auto group = std::find_if(latency_.begin(), latency_.end(), [&](const StreamLatency& latency) {
    return latency.group == spec.group;
  });
  if (group == latency_.end()) group = latency_.insert(group, {spec.group, {}});
  receivers_.push_back({stream,
                        static_cast<std::uint32_t>(group - latency_.begin()),
                        serializationTime(spec.frame, plan_->rate()),
                        SequenceWindow(options_.sequence_window, options_.largest_window),
                        {},
                        {}});
  received_streams_.push_back(stream);
}

void StreamProtocol::post(const Message& /*message*/, Picoseconds /*now*/) {
  throw Error(ErrorKind::kUnsupported, "plain streams carry no messages", {},
              "RoCE or UET for a workload of messages");
}

void StreamProtocol::reorder() {
  const std::uint32_t index = heap_.front().sender;
  const StreamClock& clock = senders_[index].clock;
  std::pop_heap(heap_.begin(), heap_.end());
  if (clock.pending()) {
    heap_.back().time = clock.due();
    std::push_heap(heap_.begin(), heap_.end());
  } else {
    heap_.pop_back();
  }
}

void StreamProtocol::fill(SenderState& sender, Picoseconds now, fabric::Packet& packet) {
  packet = sender.head;
  packet.connection = (packet.connection + sender.qp) & 0xFFFFFFU;
  packet.psn = sender.rounds & kPsnMask;
  packet.stamp = static_cast<std::uint64_t>(now.count());
  packet.extra |= sender.counts.frames & kSequenceMask;
  const std::uint64_t both = static_cast<std::uint64_t>(packet.source) << 16 | packet.destination;
  packet.flow_hash =
      static_cast<std::uint32_t>(mix64(both << 16 | (sender.first_port + sender.qp)));
  if (++sender.qp == sender.qps) {
    sender.qp = 0;
    ++sender.rounds;
  }
}

bool StreamProtocol::transmit(Picoseconds now, fabric::PriorityMask paused,
                              fabric::Packet& packet) {
  setWakeAt(fabric::kNever);
  while (!heap_.empty()) {
    const Picoseconds due = atOrAfter(heap_.front().time);
    if (due > now) {
      setWakeAt(due);
      break;
    }
    SenderState& sender = senders_[heap_.front().sender];
    const bool over = now >= sender.end && now - due > options_.late_threshold;
    if (over || (paused >> sender.head.priority & 1) != 0) {
      ++sender.counts.given_up;
      sender.clock.giveUp();
      reorder();
      continue;
    }
    fill(sender, now, packet);
    const Picoseconds late = now - due;
    if (late > options_.late_threshold) ++sender.counts.late;
    sender.counts.late_max = std::max(sender.counts.late_max, late);
    sender.first_sent = std::min(sender.first_sent, now);
    sender.last_sent = now;
    ++sender.counts.frames;
    ++stats_.data_sent;
    stats_.bytes_sent += packet.length;
    sender.clock.sent();
    reorder();
    return true;  // called again when the wire is free
  }
  return false;
}

// Due frames leave in transmit(), which follows, or when the wire is free.
void StreamProtocol::wake(Picoseconds /*now*/) { setWakeAt(fabric::kNever); }

void StreamProtocol::receive(const fabric::Packet& packet, Picoseconds now) {
  const std::uint64_t row = packet.extra >> kSequenceBits;
  if (packet.destination != context_.self || row >= receivers_.size() ||
      receivers_[row].stream != packet.aux) {
    ++misdelivered_;
    return;
  }
  ReceiverState& receiver = receivers_[row];
  StreamReceived& counts = receiver.counts;
  if (packet.trimmed) {
    ++counts.trimmed;
    ++stats_.trimmed_received;
    return;
  }
  ++counts.frames;
  counts.bytes += packet.length;
  counts.ce += packet.ce ? 1 : 0;
  ++stats_.data_received;
  stats_.ce_received += packet.ce ? 1 : 0;
  switch (receiver.window.add(packet.extra & kSequenceMask, counts)) {
    case SequenceWindow::Verdict::kDuplicate:
      ++stats_.duplicates;
      return;
    case SequenceWindow::Verdict::kOutOfOrder:
      ++stats_.out_of_order;
      break;
    case SequenceWindow::Verdict::kNew:
    case SequenceWindow::Verdict::kStale:
      break;
  }
  receiver.last_received = now;
  stats_.payload_received += packet.length;
  const Picoseconds first_bit = now - receiver.serialization;
  const auto latency = static_cast<std::uint64_t>(first_bit.count()) - packet.stamp;
  latency_[receiver.group].histogram.record(latency);
  stats_.latency.record(latency);
}

void StreamProtocol::appendFlows(std::vector<FlowStats>& flows) const {
  for (std::size_t i = 0; i < senders_.size(); ++i) {
    const SenderState& sender = senders_[i];
    FlowStats flow;
    flow.peer = sender.head.destination;
    flow.flow = sent_streams_[i];
    flow.packets_sent = sender.counts.frames;
    flow.payload_acknowledged = sender.counts.frames * sender.head.length;
    flow.posts_data = true;
    flow.first_posted = plan_->streams()[sent_streams_[i]].start;
    flow.first_sent = sender.first_sent;
    flow.last_done = sender.last_sent;
    flows.push_back(flow);
  }
  for (const ReceiverState& receiver : receivers_) {
    FlowStats flow;
    flow.peer = plan_->streams()[receiver.stream].from;
    flow.flow = receiver.stream;
    const StreamReceived& counts = receiver.counts;
    const auto length = static_cast<std::uint64_t>(plan_->streams()[receiver.stream].frame.count());
    flow.payload_received = (counts.frames - counts.duplicate) * length;
    flow.ce_received = counts.ce;
    flow.last_done = receiver.last_received;
    flows.push_back(flow);
  }
}

std::vector<StreamOutcome> collectStreams(const StreamPlan& plan,
                                          const std::vector<const StreamProtocol*>& protocols) {
  std::vector<StreamOutcome> outcomes(plan.streams().size());
  for (const StreamProtocol* protocol : protocols) {
    for (std::size_t i = 0; i < protocol->sentStreams().size(); ++i) {
      outcomes[protocol->sentStreams()[i]].sent = protocol->sent(i);
    }
    for (std::size_t i = 0; i < protocol->receivedStreams().size(); ++i) {
      outcomes[protocol->receivedStreams()[i]].received = protocol->received(i);
    }
  }
  return outcomes;
}

}  // namespace plumbline::transport
