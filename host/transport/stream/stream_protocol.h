// Sends and receives plain streams on one simulated host.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "stats/histogram.h"
#include "transport/protocol.h"
#include "transport/stream/stream_clock.h"
#include "transport/stream/stream_spec.h"

namespace plumbline::transport {

// Of one stream at its sender.
struct StreamSent {
  std::uint64_t frames = 0;
  std::uint64_t late = 0;      // left later than the threshold after their due time
  Picoseconds late_max;        // largest departure - due of all frames
  std::uint64_t given_up = 0;  // slots whose priority was paused, or that the end came before
};

// Of one stream at its receiver, as the card counts (see SequenceWindow).
struct StreamReceived {
  std::uint64_t frames = 0;  // duplicates and stale ones included
  std::uint64_t bytes = 0;
  std::uint64_t lost = 0;  // below next_sequence and not arrived while the window covered them
  std::uint64_t duplicate = 0;
  std::uint64_t out_of_order = 0;
  std::uint64_t stale = 0;
  std::uint64_t ce = 0;
  std::uint64_t trimmed = 0;  // arrived trimmed; counted as lost, too
  std::uint64_t next_sequence = 0;

  // `lost`, less the stale frames, which count as arrived: duplicates as late as that are the
  // exception.
  [[nodiscard]] std::uint64_t lostForGood() const { return lost - std::min(stale, lost); }
};

// Latency of the streams of a group that end at one host [ps], first bit to first bit; duplicates
// and trimmed frames are left out.
struct StreamLatency {
  std::uint32_t group = 0;
  stats::Histogram histogram;
};

// The rule of the card's receiver for sequence number s and a window of the last W numbers. s >=
// next: s - next frames count as lost and the window moves. Below next and inside the window: a
// duplicate if seen before, else out of order and one lost frame less. Older: stale, cannot be
// classified.
//
// The window may grow: before a number that has not arrived would leave it, its size doubles, up to
// a largest size. Up to there it classifies every frame as a window without an end does.
class SequenceWindow {
 public:
  enum class Verdict : std::uint8_t { kNew, kOutOfOrder, kDuplicate, kStale };

  // `size`: W, a power of two of at least 64; the card's is 128. `largest`: a power of two of at
  // least `size`, to which it may grow.
  SequenceWindow(std::uint32_t size, std::uint32_t largest);
  explicit SequenceWindow(std::uint32_t size) : SequenceWindow(size, size) {}
  // Updates `counts`, whose next_sequence is `next`.
  Verdict add(std::uint64_t sequence, StreamReceived& counts);

 private:
  [[nodiscard]] std::uint64_t& word(std::uint64_t sequence) {
    return bits_[sequence / 64 & (bits_.size() - 1)];
  }
  [[nodiscard]] std::uint64_t size() const { return bits_.size() * 64; }
  [[nodiscard]] bool seen(std::uint64_t sequence) {
    return (word(sequence) >> sequence % 64 & 1U) != 0;
  }
  // Grows until no number is left out that has not arrived, if the window moves to `sequence`.
  void makeRoom(std::uint64_t sequence, std::uint64_t next);
  void grow(std::uint64_t next);

  std::vector<std::uint64_t> bits_;  // a ring of the last numbers below next: 1, it has arrived
  std::uint32_t largest_;
  bool forgets_;  // not all numbers that have left the window had arrived
};

struct StreamOptions {
  // Of receivers, at first and at most. The card's window has 128; that of simulated hosts grows,
  // so that late frames can be told from duplicates.
  std::uint32_t sequence_window = 128;
  std::uint32_t largest_window = 65'536;
  Picoseconds late_threshold = nanoseconds(10);
  // Other traffic of the link, such as replays of LLR, holds frames back: slots of a stream that
  // are not used by its end are given up. Bursts are sent whole.
  bool stops_at_end = false;
};

// Frames leave in the order (due, stream number), at their due time rounded up to a picosecond, or
// when the wire is free if that is later. A slot whose priority is paused is given up, as on the
// card: the frame is due one period later. So are late ones with StreamOptions::stops_at_end.
// Messages cannot be posted.
//
// Packet fields: aux = stream, extra = row at the receiver (upper 24 bits) and sequence number, psn
// = rounds of the queue pair, stamp = departure, connection = queue pair.
class StreamProtocol final : public Protocol {
 public:
  // The streams of `plan` from and to `context.self`.
  StreamProtocol(const HostContext& context, std::shared_ptr<const StreamPlan> plan,
                 const StreamOptions& options = {});

  [[nodiscard]] ProtocolId id() const override { return ProtocolId::kStream; }
  // Throws Error(kUnsupported).
  void post(const Message& message, Picoseconds now) override;
  void receive(const fabric::Packet& packet, Picoseconds now) override;
  bool transmit(Picoseconds now, fabric::PriorityMask paused, fabric::Packet& packet) override;
  void wake(Picoseconds now) override;
  [[nodiscard]] const EndpointStats& stats() const override { return stats_; }
  // A stream is a flow, `flow` its number. Payload is counted as whole frames.
  void appendFlows(std::vector<FlowStats>& flows) const override;

  // Streams that begin, resp. end here, ascending, and their counters.
  [[nodiscard]] const std::vector<std::uint32_t>& sentStreams() const { return sent_streams_; }
  [[nodiscard]] const StreamSent& sent(std::size_t index) const { return senders_[index].counts; }
  [[nodiscard]] const std::vector<std::uint32_t>& receivedStreams() const {
    return received_streams_;
  }
  [[nodiscard]] const StreamReceived& received(std::size_t index) const {
    return receivers_[index].counts;
  }
  [[nodiscard]] const std::vector<StreamLatency>& latency() const { return latency_; }
  // Frames that were addressed to another host, or belong to no stream that ends here.
  [[nodiscard]] std::uint64_t misdelivered() const { return misdelivered_; }

 private:
  struct SenderState {
    SenderState(StreamClock stream_clock, fabric::Packet frame, std::uint32_t queue_pairs,
                std::uint32_t port)
        : clock(stream_clock), head(frame), qps(queue_pairs), first_port(port) {}

    StreamClock clock;
    fabric::Packet head;  // fields that do not change from frame to frame
    std::uint32_t qps;
    std::uint32_t qp = 0;
    std::uint32_t first_port;
    std::uint32_t rounds = 0;
    Picoseconds end = fabric::kNever;  // where slots that are not used are given up
    Picoseconds first_sent = fabric::kNever;
    Picoseconds last_sent{};
    StreamSent counts;
  };
  struct ReceiverState {
    std::uint32_t stream = 0;
    std::uint32_t group = 0;  // index into latency_
    Picoseconds serialization;
    SequenceWindow window;
    Picoseconds last_received{};
    StreamReceived counts;
  };
  // Entry of a binary heap, the earliest on top.
  struct Due {
    FineTime time;
    std::uint32_t sender = 0;
    bool operator<(const Due& other) const {
      return time != other.time ? time > other.time : sender > other.sender;
    }
  };

  void addSender(std::uint32_t stream);
  void addReceiver(std::uint32_t stream);
  // Restores the heap after the first sender's clock has advanced.
  void reorder();
  void fill(SenderState& sender, Picoseconds now, fabric::Packet& packet);

  HostContext context_;
  std::shared_ptr<const StreamPlan> plan_;
  StreamOptions options_;
  std::vector<std::uint32_t> sent_streams_;
  std::vector<std::uint32_t> received_streams_;
  std::vector<SenderState> senders_;
  std::vector<ReceiverState> receivers_;
  std::vector<Due> heap_;
  std::vector<StreamLatency> latency_;
  std::uint64_t misdelivered_ = 0;
  EndpointStats stats_;
};

// Result of one stream, from both its ends.
struct StreamOutcome {
  StreamSent sent;
  StreamReceived received;
  // Sent and never received: received.lost, without those that arrived later than the window
  // covers, and frames missing after the last one received.
  [[nodiscard]] std::uint64_t lost() const {
    return received.lostForGood() + (sent.frames - received.next_sequence);
  }
};

// Outcomes of all streams of `plan`, by number; `protocols` are those of all its hosts, any order.
std::vector<StreamOutcome> collectStreams(const StreamPlan& plan,
                                          const std::vector<const StreamProtocol*>& protocols);

}  // namespace plumbline::transport
