// The receiving half of a UET endpoint: targets of PDCs, reassembly, acknowledgements, credit.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/paged_memory.h"
#include "fabric/engine/ring.h"
#include "transport/congestion/rccc.h"
#include "transport/uet/uet_containers.h"
#include "transport/uet/uet_host.h"

namespace plumbline::transport {

// A message that has arrived completely.
struct UetDelivery {
  HostId from = 0;
  std::uint32_t flow = 0;
  Verb verb = Verb::kWrite;
  bool response = false;      // read data; `tag` is the request's PSN
  bool read_request = false;  // `bytes` are requested; `tag` is this request's PSN
  std::uint64_t bytes = 0;
  std::uint32_t tag = 0;
  std::uint32_t number = 0;  // last PSN, as on the wire
};

class UetReceiver {
 public:
  explicit UetReceiver(UetHost& host);

  // A data packet, CLOSE_CMD or CREDIT_REQ has arrived.
  void onData(const fabric::Packet& packet, Picoseconds now);
  void onCreditRequest(const fabric::Packet& packet, Picoseconds now);

  // uet_prefetch.cc: prefetches the memory that onData(packet) needs, in two steps; the second one
  // reads what the first has fetched.
  void prefetchId(const fabric::Packet& packet) const;
  void prefetchTarget(const fabric::Packet& packet) const;

  void onExpiry(const UetTimerEntry& timer, Picoseconds now);
  // Sends the credit grants that are due.
  void pace(Picoseconds now);
  [[nodiscard]] Picoseconds nextGrant() const { return pacer_.nextAt(); }
  // Sends the ACKs that have waited long enough for more data, and sets the next time for this,
  // possibly for data that has been acknowledged since.
  void acknowledgeLate(Picoseconds now);
  [[nodiscard]] Picoseconds nextLateAck() const { return next_late_ack_; }

  // Messages that onData() has completed since this was last cleared, in order.
  [[nodiscard]] std::vector<UetDelivery>& deliveries() { return deliveries_; }
  void appendFlows(std::vector<FlowStats>& flows) const;
  [[nodiscard]] std::size_t openTargets() const { return open_; }

 private:
  struct Reassembly {
    std::uint64_t first = 0;    // PSN
    std::uint32_t packets = 0;  // received
    std::uint32_t total = 0;    // 0 until the last packet has arrived
    std::uint64_t bytes = 0;    // received
  };
  // Per PDC, or, for RUDI and UUD, per flow of a peer. The fields that every packet needs come
  // first, in three cache lines.
  struct alignas(64) Target {
    std::uint64_t cack = 0;                            // everything up to it has been received
    std::uint64_t highest = 0;                         // PSN received
    std::uint64_t unreported_min = ~std::uint64_t{0};  // received above cack, not in any ACK yet
    std::uint64_t unreported_max = 0;
    std::uint64_t received_bytes = 0;  // nominal sizes, each packet once
    std::uint64_t payload = 0;         // each byte once
    std::uint32_t ack_bytes = 0;       // since the last ACK
    std::uint32_t above = 0;           // packets received above cack
    std::uint16_t source = 0;
    std::uint16_t id = 0;  // the initiator's; 0 for RUDI and UUD
    std::uint8_t flow = 0;
    bool marked = false;     // CE since the last ACK
    bool last_retx = false;  // of last_psn
    bool open = false;

    std::uint64_t last_psn = 0;  // PSN and time of the packet that was accepted last
    Picoseconds last_arrival;
    Picoseconds last_activity;
    std::uint32_t acks = 0;  // ACKs sent
    std::uint32_t generation = 0;
    BitWindow received;

    Reassembly newest;  // of the messages begun and incomplete; none if it has no packets
    std::vector<Reassembly> older;  // the others

    std::uint64_t gap = 0;  // UUD: the last PSN that was given up
    Picoseconds last_done;  // arrival of payload
    std::uint64_t ce_received = 0;
    std::uint32_t peer = 0;  // index into peers_
    std::uint32_t statistics = 0;
    bool expiry_timer = false;  // is set, possibly for an earlier target in this place
    bool returning = false;     // carries read data
    bool nacked = false;        // ROD: a NACK for the missing packet has been sent
  };
  // Data that waits for its ACK; stale when the target has sent one since.
  struct LateAck {
    Picoseconds due;
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::uint32_t acks = 0;
  };
  struct ClosedPdc {
    std::uint32_t key = 0;
    Picoseconds until;
  };
  // The parameters of the spec that every packet needs, close together.
  struct Rules {
    Picoseconds ack_delay;
    std::uint32_t ack_trigger_bytes;  // 0: every packet
    std::uint32_t ack_min_add_bytes;
    std::uint32_t mp_range;
    std::uint8_t receiver_penalty;
    bool ack_on_ecn;
  };

  [[nodiscard]] std::uint32_t find(const fabric::Packet& packet) const {
    return has_pdc_ ? findPdc(packet)
                    : by_flow_.find(flowKey(packet.source, packet.connection >> 16));
  }
  [[nodiscard]] std::uint32_t findPdc(const fabric::Packet& packet) const {
    return by_pdc_.find(std::uint32_t{packet.source} << 16 | (packet.connection & 0xFFFF));
  }
  // Has payload: no read request, no CLOSE_CMD.
  [[nodiscard]] bool isData(const fabric::Packet& packet) const {
    if (pdsType(packet.opcode) == PdsType::kControl) return false;
    const DataFields fields = unpackData(packet.extra, has_pdc_);
    return fields.response || static_cast<Verb>(fields.verb) != Verb::kRead;
  }
  std::uint32_t openFor(const fabric::Packet& packet, Picoseconds now);
  std::uint32_t open(const fabric::Packet& packet, const DataFields& fields, Picoseconds now);
  [[nodiscard]] Picoseconds expiryOf(const Target& target) const;
  void count(const Target& target, FlowStats& flow) const;
  void close(std::uint32_t slot);
  void forgetClosedPdcs(Picoseconds now);
  std::uint32_t peerOf(HostId host);

  // kFastPath: the caller has checked that it is data of RUD without receiver credit, not trimmed.
  template <bool kFastPath>
  void onDataOf(const fabric::Packet& packet, Picoseconds now);
  void onTrimmed(Target& target, const fabric::Packet& packet, std::uint64_t psn, Picoseconds now);
  bool acceptOrdered(Target& target, const fabric::Packet& packet, std::uint64_t psn,
                     Picoseconds now);
  bool acceptAny(Target& target, const fabric::Packet& packet, std::uint64_t psn, Picoseconds now) {
    if (psn != target.cack + 1 || target.above != 0) {
      return acceptAmongGaps(target, packet, psn, now);
    }
    target.cack = target.highest = psn;
    return true;
  }
  bool acceptAmongGaps(Target& target, const fabric::Packet& packet, std::uint64_t psn,
                       Picoseconds now);
  bool acceptOutOfRange(Target& target, const fabric::Packet& packet, std::uint64_t psn,
                        Picoseconds now);
  void slide(Target& target, std::uint64_t cack);
  static void advance(Target& target) {
    if (target.above == 0 || !target.received.test(target.cack + 1)) return;
    const std::uint64_t run = target.received.clearRun(target.cack + 1);
    target.cack += run;
    target.above -= static_cast<std::uint32_t>(run);
  }
  // Makes the message whose first PSN is `first` the newest one; it may be a new one.
  static void renew(Target& target, std::uint64_t first);
  template <bool kFastPath>
  std::optional<std::uint64_t> gather(Target& target, std::uint64_t psn, std::uint32_t index,
                                      bool last, std::uint32_t payload);
  void deliver(const Target& target, const fabric::Packet& packet, std::uint64_t bytes);

  // uet_receiver_answers.cc
  [[nodiscard]] bool isCurrent(const LateAck& late) const;
  void acknowledge(Target& target, std::uint64_t psn, bool retx, Picoseconds now);
  void sendAck(Target& target, std::uint64_t psn, bool retx, std::uint64_t sack_base,
               std::uint64_t sack, Picoseconds now);
  void respond(const Target& target, std::uint64_t psn, bool retx, bool marked, Picoseconds now);
  void nack(const fabric::Packet& packet, NackCode code, std::uint32_t psn, Picoseconds now);
  [[nodiscard]] std::uint32_t answerHash(HostId to, std::uint64_t psn) const;

  UetHost& host_;
  UetService service_;
  bool has_pdc_;
  bool fast_path_;                // RUD without receiver credit
  std::uint32_t write_frame_;     // frame bytes without payload: messages and read requests
  std::uint32_t response_frame_;  // the same, read data
  std::int32_t frame_excess_;     // frame bytes beyond the nominal size
  bool moves_window_;             // of the sources
  bool credit_;
  Rules rules_;
  PagedVector<Target> targets_;
  PagedVector<std::uint32_t> free_;
  IdMap by_pdc_;   // source << 16 | id → target, or kClosedPdc
  IdMap by_flow_;  // flowKey() → target (RUDI, UUD)
  fabric::Ring<ClosedPdc> closed_pdcs_;
  fabric::Ring<LateAck> late_acks_;     // all wait equally long, so the oldest is due first
  Picoseconds next_late_ack_ = kNever;  // of the oldest
  // Every host that ever sent here, under its number in RCCC: credit is counted over the whole
  // time.
  PagedVector<HostId> peers_;
  IdMap peer_of_;
  RcccPacer pacer_;
  std::size_t open_ = 0;  // targets, return directions not counted
  std::vector<UetDelivery> deliveries_;
  std::vector<FlowStats> flows_;  // seldom used: every flow that ever existed
  IdMap flow_of_;                 // flowKey() → flows_
};

}  // namespace plumbline::transport
