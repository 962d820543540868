// The sending half of a UET endpoint: PDCs as their initiator, congestion control contexts, loss
// recovery.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/paged_memory.h"
#include "fabric/engine/ring.h"
#include "transport/congestion/congestion_window.h"
#include "transport/congestion/rccc.h"
#include "transport/uet/uet_containers.h"
#include "transport/uet/uet_entropy.h"
#include "transport/uet/uet_host.h"
#include "transport/uet/uet_tx_window.h"

namespace plumbline::transport {

class UetSender {
 public:
  explicit UetSender(UetHost& host);
  UetSender(const UetSender&) = delete;
  UetSender& operator=(const UetSender&) = delete;

  // Throws Error(kUsage) for messages that the service cannot carry (see UetProtocol).
  void post(const Message& message, Picoseconds now);
  // Data for the read request with PSN `request` of `to`.
  void postReadResponse(HostId to, std::uint32_t flow, std::uint64_t bytes, std::uint32_t request,
                        Picoseconds now);
  // All data for the read request with PSN `request` has arrived. Returns false if the request is
  // no longer open; otherwise `completion` has its tag.
  bool completeRead(HostId from, std::uint32_t flow, std::uint32_t request, Picoseconds now,
                    Completion& completion);

  void onAck(const fabric::Packet& packet, Picoseconds now);
  void onRudiResponse(const fabric::Packet& packet, Picoseconds now);
  void onNack(const fabric::Packet& packet, Picoseconds now);
  void onCredit(const fabric::Packet& packet, Picoseconds now);

  // False: transmit() has nothing to send.
  [[nodiscard]] bool hasReady() const { return !ready_.empty(); }
  // The next data packet that may leave; false if there is none.
  bool transmit(Picoseconds now, fabric::Packet& packet);

  // uet_prefetch.cc: prefetches the memory that the next transmissions need, in two steps, and that
  // answers need, in three. Each step reads what the previous one has fetched. They identify PDCs
  // by their slot; kNone is none.
  void prefetchReady() const;
  void prefetchReadyPlaces() const;
  void prefetchId(const fabric::Packet& answer) const;
  [[nodiscard]] std::uint32_t prefetchPdc(const fabric::Packet& answer) const;
  void prefetchWindow(std::uint32_t slot, const fabric::Packet& answer) const;

  void onTimer(const UetTimerEntry& timer, Picoseconds now);
  // Begins to close PDCs that have been idle for long enough.
  void closeIdle(Picoseconds now);
  [[nodiscard]] Picoseconds nextClose() const { return next_close_; }

  // Messages completed since this was last cleared, in order.
  [[nodiscard]] std::vector<Completion>& completions() { return completions_; }
  void appendFlows(std::vector<FlowStats>& flows) const;
  void appendPending(std::vector<PendingMessage>& messages) const;
  [[nodiscard]] std::size_t openPdcs() const { return open_; }

  // State of one destination for tests and reports; zeros without a context for it.
  struct CongestionView {
    double window = 0;          // bytes; CongestionWindowRules::kUnlimited: credit alone permits
    std::int64_t inflight = 0;  // bytes
    std::int64_t credit = 0;    // bytes unspent
  };
  [[nodiscard]] CongestionView congestion(HostId peer) const;

 private:
  static constexpr std::uint32_t kNone = IdMap::kNone;
  static constexpr std::uint64_t kNoPsn = ~std::uint64_t{0};
  static constexpr std::size_t kMinWindowRoom = 8;
  static constexpr std::size_t kMaxWindowRoom = 64;

  enum class State : std::uint8_t {
    kFree,
    kWaiting,  // for a PDC id to be available on this host
    kSynSent,  // CREATING: no answer from the target yet; every packet carries SYN
    kEstablished,
    kClosing,  // CLOSE_CMD is sent, or will be
    kDead,     // to be freed as soon as no list refers to it
  };
  enum class Kind : std::uint8_t { kData, kReadRequest, kReadResponse, kClose };

  struct Retransmission {
    std::uint64_t psn = 0;
    std::uint32_t order = 0;
  };
  struct TxMessage {
    std::uint64_t first = 0;  // PSN
    std::uint64_t bytes = 0;
    Picoseconds posted;
    std::uint32_t packets = 0;
    std::uint32_t unacked = 0;
    std::uint32_t tag = 0;
    std::uint16_t payload = 0;       // of a packet, in bytes
    std::uint16_t last_payload = 0;  // of the last one
    std::uint16_t overhead = 0;      // additional bytes in window accounting
    Verb verb = Verb::kWrite;
    Kind kind = Kind::kData;
  };
  struct OpenRead {
    std::uint64_t bytes = 0;
    Picoseconds posted;
    std::uint32_t request = 0;  // PSN
    std::uint32_t tag = 0;
  };
  // The fields that every packet and every acknowledgement needs fill the first three cache lines;
  // one more among them costs up to 5 % more cache misses per packet-hop.
  struct alignas(64) Pdc {
    std::uint64_t cack = 0;  // everything up to it is acknowledged
    std::uint64_t next = 0;  // next to be sent for the first time, or again after going back
    std::uint64_t end = 0;   // PSN after the last packet of the last message
    std::uint32_t ccc = 0;
    std::uint32_t order = 0;  // transmissions
    std::uint32_t lost = 0;   // packets known to be lost and not yet retransmitted (not ROD)
    State state = State::kFree;
    bool ready = false;    // in ready_
    bool waiting = false;  // in its context's list
    bool blocked = false;  // after NO_PDC_AVAIL
    std::uint16_t peer = 0;
    std::uint16_t id = 0;
    std::uint16_t port_base = 0;  // entropy values are XORed with it
    std::uint8_t flow = 0;
    std::uint8_t timeouts = 0;  // in a row
    std::uint64_t packets_sent = 0;
    std::uint32_t highest_acked = 0;  // greatest order acknowledged
    std::uint32_t judge_at = 0;       // no loss is inferred while `highest_acked` is below this

    TxWindow flight;              // PSNs cack + 1 ... last sent
    std::uint64_t send_hint = 0;  // message that holds `next`, probably
    std::uint64_t ack_hint = 0;   // index of the message that contains `cack` + 1, probably
    std::uint32_t received = 0;   // last rcvd_bytes, 24 bits
    bool idle = false;            // in the idle list
    bool returning = false;       // carries read data: the return direction of a peer's PDC
    bool posts_data = false;      // messages with data of their own were posted on it
    bool posts_reads = false;

    Window<TxMessage> messages;  // in the order of their PSNs
    // Earliest retransmission timer that is set, possibly for an earlier PDC in this place.
    Picoseconds timer_at = kNever;
    std::uint64_t payload_acknowledged = 0;
    EntropySelector entropy;  // begins with what the usual policies need
    std::uint32_t statistics = 0;

    std::uint32_t generation = 0;
    std::uint64_t start = 0;
    std::uint64_t packets_retransmitted = 0;
    std::uint64_t judged = 0;  // first PSN whose first transmission may still be inferred lost
    fabric::Ring<Retransmission> resent;     // in order; entries may be stale
    fabric::Ring<std::uint64_t> lost_queue;  // PSNs; entries may be stale
    std::uint32_t next_waiting = kNone;
    std::uint32_t timed_out_at = 0;  // `highest_acked` at the last timeout
    std::vector<OpenRead> reads;
    Picoseconds wanted;      // since when it is
    Picoseconds opened;      // first packet sent
    Picoseconds first_sent;  // first one with payload
    Picoseconds last_done;   // last completion
  };
  // A PDC's place in the idle list. In an array of its own: changing the list reads neighbours in
  // it, whose PDCs are not cached any more.
  struct IdlePlace {
    std::uint32_t before = kNone;
    std::uint32_t after = kNone;
    Picoseconds since;
  };
  // Congestion control context: one per destination. All fields that sending needs are in the first
  // line.
  struct alignas(64) Ccc {
    explicit Ccc(const CongestionWindowRules& rules) : window(rules, Picoseconds(0)) {}

    std::int64_t inflight = 0;  // nominal bytes
    std::int64_t backlog = 0;   // nominal bytes not yet sent, or lost
    std::uint32_t wait_head = kNone;
    std::uint32_t wait_tail = kNone;
    RcccSource credit;
    CongestionWindow window;
    HostId peer = 0;
    std::uint32_t pdcs = 0;
    std::uint32_t generation = 0;
    std::uint32_t index = 0;
    std::uint32_t ready = 0;      // PDCs in ready_; with receiver credit only
    std::uint32_t asked = 0;      // last credit_target sent
    std::uint8_t unanswered = 0;  // repeated requests since the last credit
    bool timer = false;           // kCredit is set
    Picoseconds asked_at;         // start of the wait for credit, last credit or last request
  };
  struct FreeId {
    std::uint16_t id = 0;
    Picoseconds from;
  };
  struct Flow {
    FlowStats stats;
    std::uint64_t next_psn = 0;  // RUDI and UUD: ids continue from here
  };

  // uet_sender.cc: PDCs and messages
  std::uint32_t pdcFor(HostId peer, std::uint32_t flow, bool returning, Picoseconds now);
  void enqueue(std::uint32_t slot, const TxMessage& message);
  void startWaiting(Picoseconds now);
  bool setUpContext(Picoseconds now);
  std::optional<std::uint16_t> acquireId(Picoseconds now);
  void beginClose(std::uint32_t slot, Picoseconds now);
  static void count(const Pdc& pdc, FlowStats& flow);
  void destroy(std::uint32_t slot, bool failed, Picoseconds now);
  void reserveId(std::uint16_t id, bool failed, Picoseconds now);
  void fail(std::uint32_t slot, Picoseconds now);
  void setIdle(std::uint32_t slot, Picoseconds now);
  void clearIdle(std::uint32_t slot);
  void updateNextClose();
  std::uint32_t cccFor(HostId peer, Picoseconds now);

  // uet_sender_transmit.cc Has something to send, whether or not it is permitted.
  [[nodiscard]] bool hasWork(const Pdc& pdc) const {
    if (pdc.blocked || pdc.state < State::kSynSent || pdc.state == State::kDead) return false;
    return pdc.lost > 0 || hasNext(pdc);
  }
  // The same for an open PDC without losses.
  [[nodiscard]] bool hasNext(const Pdc& pdc) const {
    return pdc.next < pdc.end && pdc.next - pdc.cack <= mp_range_;
  }
  // Whether congestion control permits a full packet.
  [[nodiscard]] bool maySend(const Ccc& ccc) const {
    if (credit_ && !ccc.credit.maySend()) return false;
    return static_cast<double>(ccc.inflight + mtu_cost_) <= ccc.window.bytes();
  }
  void makeReady(std::uint32_t slot) {
    Pdc& pdc = pdcs_[slot];
    if (pdc.ready || pdc.waiting) return;
    pdc.ready = true;
    ready_.push(slot);
    if (credit_ && ++cccs_[pdc.ccc].ready == 1) ++ready_cccs_;
  }
  void wait(std::uint32_t slot, Picoseconds now);
  void stopWaiting(std::uint32_t slot);
  // Makes PDCs that wait for congestion control ready as far as there is room.
  void release(Ccc& ccc) {
    if (ccc.wait_head != kNone && maySend(ccc)) releaseWaiting(ccc);
  }
  void releaseWaiting(Ccc& ccc);
  static std::uint64_t nextPsn(Pdc& pdc);
  // The message that `psn` belongs to; `hint` is the number of one close to it, probably.
  static TxMessage& messageAt(Pdc& pdc, std::uint64_t psn, std::uint64_t& hint) {
    hint = std::max(hint, pdc.messages.first());
    TxMessage& message = pdc.messages[hint];
    return psn - message.first < message.packets ? message : searchMessage(pdc, psn, hint);
  }
  static TxMessage& searchMessage(Pdc& pdc, std::uint64_t psn, std::uint64_t& hint);
  static std::uint32_t payloadOf(const TxMessage& message, std::uint64_t psn) {
    return psn - message.first + 1 < message.packets ? message.payload : message.last_payload;
  }
  // Bytes of a packet in window accounting.
  static std::uint32_t costOf(const TxMessage& message, std::uint64_t psn) {
    return payloadOf(message, psn) + message.overhead;
  }
  // Sum of costOf() from `psn` to the message's last packet, which must not precede `psn`.
  static std::int64_t costFrom(const TxMessage& message, std::uint64_t psn) {
    const auto before_last = static_cast<std::int64_t>(message.first + message.packets - 1 - psn);
    return before_last * (message.payload + message.overhead) + message.last_payload +
           message.overhead;
  }
  std::uint32_t nextReady(Picoseconds now);
  // Removes the first one, `pdc`, from ready_.
  void popReady(Pdc& pdc) {
    ready_.pop();
    pdc.ready = false;
    if (credit_ && pdc.state != State::kDead) leaveReady(pdc);
  }
  void leaveReady(const Pdc& pdc) {
    if (--cccs_[pdc.ccc].ready == 0) --ready_cccs_;
  }
  // Its next packet is of the usual kind: new data, of a PDC that is not closing and has no losses,
  // without receiver credit.
  [[nodiscard]] bool usesFastPath(const Pdc& pdc) const {
    return fast_path_ && (pdc.state == State::kEstablished || pdc.state == State::kSynSent) &&
           pdc.lost == 0 && pdc.next == pdc.flight.end();
  }
  // Sends the next packet of the PDC `slot`; returns whether it has more. kFastPath: usesFastPath()
  // holds.
  template <bool kFastPath>
  bool send(std::uint32_t slot, Picoseconds now, fabric::Packet& packet);
  template <bool kFastPath>
  [[nodiscard]] std::uint64_t fieldsOf(const Pdc& pdc, Ccc& ccc, const TxMessage& message,
                                       std::uint64_t psn, bool retx, bool more) const;
  void finishClose(fabric::Packet& packet);
  // `read`: a read request, which has no payload.
  void countSent(Pdc& pdc, std::uint16_t frame, bool read, bool retx, Picoseconds now) {
    EndpointStats& stats = host_.stats();
    ++pdc.packets_sent;
    if (read) {
      ++stats.control_sent;
      return;
    }
    ++stats.data_sent;
    stats.bytes_sent += frame;
    if (!retx) return;
    ++stats.retransmitted;
    stats.first_resent = std::min(stats.first_resent, now);
    ++pdc.packets_retransmitted;
  }
  // Needed for credit_target only.
  void changeBacklog(Ccc& ccc, std::int64_t bytes) {
    if (credit_) ccc.backlog += bytes;
  }
  [[nodiscard]] std::uint32_t creditTarget(const Ccc& ccc) const;
  void requestCredit(Ccc& ccc, bool again, Picoseconds now);
  void armCreditTimer(Ccc& ccc);
  // After a change of what `ccc` is permitted to send: releases PDCs that wait, or asks for the
  // credit that they lack.
  void proceed(Ccc& ccc, Picoseconds now) {
    release(ccc);
    if (credit_ && ccc.wait_head != kNone && !ccc.credit.maySend()) requestCredit(ccc, false, now);
  }

  // uet_sender_feedback.cc
  [[nodiscard]] std::uint32_t pdcOf(const fabric::Packet& packet) const;
  void established(Pdc& pdc, Picoseconds now);
  // Everything up to `psn`, which is below the window's end, is acknowledged.
  void ackUpTo(Pdc& pdc, Ccc& ccc, std::uint64_t psn, std::uint64_t marked, Picoseconds now) {
    if (psn > pdc.cack) ackNewUpTo(pdc, ccc, psn, marked, now);
  }
  void ackNewUpTo(Pdc& pdc, Ccc& ccc, std::uint64_t psn, std::uint64_t marked, Picoseconds now);
  // The packets `bits` of the window's word `index` are acknowledged; some may have been before.
  // `marked`: the packet whose mark the answer reports, or kNoPsn.
  void ackWord(Pdc& pdc, Ccc& ccc, std::uint64_t index, std::uint64_t bits, std::uint64_t marked,
               Picoseconds now) {
    const std::uint64_t news = pdc.flight.pending(index, bits);
    if (news != 0) ackPending(pdc, ccc, index, news, marked, now);
  }
  void ackPending(Pdc& pdc, Ccc& ccc, std::uint64_t index, std::uint64_t bits, std::uint64_t marked,
                  Picoseconds now);
  void ackPacket(Pdc& pdc, Ccc& ccc, std::uint64_t psn, std::uint64_t marked, Picoseconds now);
  void countAcked(Pdc& pdc, TxMessage& message, std::uint32_t packets, std::uint64_t payload,
                  Picoseconds now);
  void complete(Pdc& pdc, const TxMessage& message, Picoseconds now);
  bool advance(std::uint32_t slot, Picoseconds now);
  void idleIfDone(std::uint32_t slot, Picoseconds now);
  void markLost(Pdc& pdc, Ccc& ccc, std::uint64_t psn);
  void goBack(Pdc& pdc, Ccc& ccc, std::uint64_t psn);
  [[nodiscard]] bool mayInferLosses(const Pdc& pdc) const {
    return infers_losses_ && pdc.highest_acked >= pdc.judge_at;
  }
  void inferLosses(Pdc& pdc, Ccc& ccc, Picoseconds now);
  void reportLoss(Ccc& ccc, const LossEvent& loss, NackCode code) const;
  void onLostPacket(std::uint32_t slot, const fabric::Packet& packet, Picoseconds now);
  void onOutOfOrder(std::uint32_t slot, const fabric::Packet& packet, Picoseconds now);
  void onNoPdc(std::uint32_t slot, const fabric::Packet& packet, Picoseconds now);
  void afterFeedback(std::uint32_t slot, Picoseconds now);
  void armRetransmission(std::uint32_t slot, Picoseconds now);
  void onRetransmissionTimer(const UetTimerEntry& timer, Picoseconds now);
  void onCreditTimer(const UetTimerEntry& timer, Picoseconds now);
  void failWaiting(Ccc& ccc, Picoseconds now);

  UetHost& host_;
  UetService service_;
  bool connectionless_;  // no PDCs: RUDI, UUD
  bool infers_losses_;
  bool moves_window_;  // an algorithm adjusts the window by ACKs
  bool credit_;        // receiver credit is in use
  bool fast_path_;     // PDCs, and no receiver credit
  PdsType data_type_;
  fabric::Packet data_header_;  // common fields of all data packets
  std::uint16_t mp_range_;
  std::uint32_t ack_trigger_bytes_;
  Picoseconds rto_;
  std::uint32_t mtu_cost_;           // nominal size of a full packet
  std::uint32_t write_overhead_;     // nominal size without payload
  std::uint32_t response_overhead_;  // of read data
  std::int32_t frame_excess_;        // frame bytes beyond the nominal size
  std::int64_t credit_window_;
  CongestionWindowRules window_rules_;

  PagedVector<Pdc> pdcs_;
  PagedVector<IdlePlace> idle_places_;  // as many as pdcs_
  PagedVector<std::uint32_t> free_pdcs_;
  // Number of packets for which a new PDC allocates memory: as many as one that is idle now had.
  std::size_t window_room_ = kMinWindowRoom;
  IdMap by_flow_;  // (returning, peer, flow) → PDC that takes messages
  IdMap by_id_;    // PDC id → PDC
  PagedVector<Ccc> cccs_;
  PagedVector<std::uint32_t> free_cccs_;
  IdMap ccc_of_;  // peer → context
  fabric::Ring<std::uint32_t> ready_;
  fabric::Ring<std::uint32_t> waiting_;    // PDCs in state kWaiting
  fabric::Ring<std::uint32_t> returning_;  // the same, for read data
  std::uint32_t idle_head_ = kNone;
  std::uint32_t idle_tail_ = kNone;
  Picoseconds next_close_ = kNever;
  fabric::Ring<FreeId> free_ids_;
  fabric::Ring<FreeId> failed_ids_;  // of PDCs that failed, for when no others are left
  std::uint32_t next_id_ = 1;
  std::uint64_t started_ = 0;           // PDCs ever
  std::size_t open_ = 0;                // ids in use, without return directions
  std::size_t pending_ = 0;             // of these, not answered by their target yet
  Picoseconds context_ready_ = kNever;  // of the PDC that is opened next; kNever: not begun
  std::uint32_t ready_cccs_ = 0;        // contexts with PDCs in ready_; with receiver credit only
  IdMap credit_of_;  // peer → its cumulative credit, of contexts that have ended
  std::vector<Completion> completions_;
  std::vector<Flow> flows_;  // seldom used: every flow that ever existed
  IdMap flow_of_;            // flowKey() → flows_
};

}  // namespace plumbline::transport
