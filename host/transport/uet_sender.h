// The sending half of a UET endpoint: PDCs as their initiator, congestion control contexts, loss
// recovery.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/ring.h"
#include "transport/nscc.h"
#include "transport/rccc.h"
#include "transport/uet_containers.h"
#include "transport/uet_entropy.h"
#include "transport/uet_host.h"

namespace plumbline::transport {

class UetSender {
 public:
  explicit UetSender(UetHost& host);
  UetSender(const UetSender&) = delete;
  UetSender& operator=(const UetSender&) = delete;

  // Throws Error(kUsage) for what the service cannot carry (see UetProtocol).
  void post(const Message& message, Picoseconds now);
  // Data for the read request with PSN `request` of `to`.
  void postReadResponse(HostId to, std::uint32_t flow, std::uint64_t bytes, std::uint32_t request,
                        Picoseconds now);
  // All the data has come that the read request with PSN `request` asked for. Returns false if
  // nobody waits for it any more, otherwise its tag and the completion are in `completion`.
  bool takeRead(HostId from, std::uint32_t flow, std::uint32_t request, Picoseconds now,
                Completion& completion);

  void onAck(const fabric::Packet& packet, Picoseconds now);
  void onRudiResponse(const fabric::Packet& packet, Picoseconds now);
  void onNack(const fabric::Packet& packet, Picoseconds now);
  void onCredit(const fabric::Packet& packet, Picoseconds now);

  // The next data packet that may leave; false if there is none.
  bool transmit(Picoseconds now, fabric::Packet& packet);

  void onTimer(const UetTimerEntry& timer, Picoseconds now);
  // Begins to close whatever has been idle for long enough.
  void closeIdle(Picoseconds now);
  [[nodiscard]] Picoseconds nextClose() const { return next_close_; }

  // Messages done since this was last cleared, in order.
  [[nodiscard]] std::vector<Completion>& completions() { return completions_; }
  void appendFlows(std::vector<FlowStats>& flows) const;
  [[nodiscard]] std::size_t openPdcs() const { return open_; }

  // What a test or a report may ask about one destination; zeros when there is no context for it.
  struct CongestionView {
    double window = 0;          // bytes: NSCC's or the fixed one
    std::int64_t inflight = 0;  // bytes
    std::int64_t credit = 0;    // bytes unspent
  };
  [[nodiscard]] CongestionView congestion(HostId peer) const;

 private:
  static constexpr std::uint32_t kNone = IdMap::kNone;

  enum class State : std::uint8_t {
    kFree,
    kWaiting,  // for a PDC to be available on this host
    kSynSent,  // CREATING: nothing heard of the target; every packet carries SYN
    kEstablished,
    kClosing,  // CLOSE_CMD is sent, or will be
    kDead,     // to be freed as soon as no list holds it any more
  };
  enum class Kind : std::uint8_t { kData, kReadRequest, kReadResponse, kClose };
  enum class Slot : std::uint8_t { kFlight, kLost, kAcked };

  // One packet between the first that is not acknowledged and the last that was ever sent.
  struct TxSlot {
    Picoseconds sent;
    std::uint32_t order = 0;  // of the PDC's transmissions
    std::uint16_t entropy = 0;
    Slot state = Slot::kFlight;
    std::uint8_t retx : 1 = 0;
    std::uint8_t nacks : 7 = 0;
  };
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
    std::uint16_t overhead = 0;      // what window accounting counts on top
    Verb verb = Verb::kWrite;
    Kind kind = Kind::kData;
  };
  struct OpenRead {
    std::uint64_t bytes = 0;
    Picoseconds posted;
    std::uint32_t request = 0;  // PSN
    std::uint32_t tag = 0;
  };
  struct Pdc {
    std::uint64_t cack = 0;  // everything up to it is acknowledged
    std::uint64_t next = 0;  // to be sent for the first time or, after going back, again
    std::uint64_t end = 0;   // behind the last packet of the last message
    std::uint64_t start = 0;
    std::uint64_t send_hint = 0;  // message that holds `next`, probably
    std::uint64_t ack_hint = 0;   // message that holds `cack` + 1, probably
    // Earliest retransmission timer that is set, be it for a PDC that had this place before.
    Picoseconds timer_at = kNever;
    std::uint32_t ccc = 0;
    std::uint32_t order = 0;          // transmissions
    std::uint32_t highest_acked = 0;  // greatest order acknowledged
    std::uint32_t lost = 0;           // slots in state kLost (not ROD)
    std::uint32_t received = 0;       // last rcvd_bytes, 24 bits
    std::uint32_t generation = 0;
    std::uint16_t id = 0;
    std::uint16_t port_base = 0;  // entropy values are XORed with it
    std::uint16_t peer = 0;
    std::uint8_t flow = 0;
    State state = State::kFree;
    std::uint8_t timeouts = 0;  // in a row
    bool ready = false;         // in ready_
    bool waiting = false;       // in its context's list
    bool blocked = false;       // after NO_PDC_AVAIL
    bool idle = false;          // in the idle list
    bool returning = false;     // carries read data: the return direction of a peer's PDC
    std::uint32_t next_waiting = kNone;
    std::uint32_t idle_before = kNone;
    std::uint32_t idle_after = kNone;
    std::uint32_t statistics = 0;
    Window<TxSlot> slots;                    // PSNs cack + 1 ... last sent
    Window<TxMessage> messages;              // in the order of their PSNs
    fabric::Ring<std::uint64_t> lost_queue;  // PSNs; entries may be out of date
    fabric::Ring<Retransmission> resent;     // in order; entries may be out of date
    std::uint64_t judged = 0;  // first PSN whose first transmission may still be inferred lost
    EntropySelector entropy;
    std::vector<OpenRead> reads;
    Picoseconds opened;  // first packet sent
    Picoseconds idle_since;
    std::uint64_t packets_sent = 0;
    std::uint64_t packets_retransmitted = 0;
    std::uint64_t payload_acknowledged = 0;
  };
  // Congestion control context: one per destination.
  struct Ccc {
    explicit Ccc(const NsccParameters& parameters) : nscc(parameters, Picoseconds(0)) {}

    std::int64_t inflight = 0;  // nominal bytes
    std::int64_t backlog = 0;   // nominal bytes not yet sent, or lost
    std::uint32_t wait_head = kNone;
    std::uint32_t wait_tail = kNone;
    HostId peer = 0;
    std::uint32_t pdcs = 0;
    std::uint32_t generation = 0;
    std::uint32_t index = 0;
    std::uint32_t asked = 0;  // last credit_target told
    bool timer = false;       // kCredit is set
    Picoseconds last_credit;
    RcccSource credit;
    Nscc nscc;
  };
  struct FreeId {
    std::uint16_t id = 0;
    Picoseconds from;
  };
  struct Flow {
    FlowStats stats;
    std::uint64_t next_psn = 0;  // RUDI and UUD: ids go on where they ended
  };

  // uet_sender.cc: PDCs and messages
  std::uint32_t pdcFor(HostId peer, std::uint32_t flow, bool returning, Picoseconds now);
  void enqueue(std::uint32_t slot, const TxMessage& message);
  void startWaiting(Picoseconds now);
  std::optional<std::uint16_t> takeId(Picoseconds now);
  void beginClose(std::uint32_t slot, Picoseconds now);
  void destroy(std::uint32_t slot, Picoseconds now);
  void fail(std::uint32_t slot, Picoseconds now);
  void setIdle(std::uint32_t slot, Picoseconds now);
  void clearIdle(Pdc& pdc);
  void updateNextClose();
  std::uint32_t cccFor(HostId peer, Picoseconds now);

  // uet_sender_transmit.cc
  [[nodiscard]] bool hasWork(const Pdc& pdc) const;
  [[nodiscard]] bool maySend(const Ccc& ccc) const;
  void makeReady(std::uint32_t slot);
  void wait(std::uint32_t slot, Picoseconds now);
  void stopWaiting(std::uint32_t slot);
  void release(Ccc& ccc);
  static std::uint64_t takePsn(Pdc& pdc);
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
  // What window accounting counts for a packet.
  static std::uint32_t costOf(const TxMessage& message, std::uint64_t psn) {
    return payloadOf(message, psn) + message.overhead;
  }
  // The same for all packets from `psn` to the message's last; there is at least one.
  static std::int64_t costFrom(const TxMessage& message, std::uint64_t psn) {
    const auto before_last = static_cast<std::int64_t>(message.first + message.packets - 1 - psn);
    return before_last * (message.payload + message.overhead) + message.last_payload +
           message.overhead;
  }
  void send(std::uint32_t slot, Picoseconds now, fabric::Packet& packet);
  void build(const Pdc& pdc, Ccc& ccc, const TxMessage& message, std::uint64_t psn, bool more,
             Picoseconds now, fabric::Packet& packet) const;
  void changeBacklog(Ccc& ccc, std::int64_t bytes);
  [[nodiscard]] std::uint32_t creditTarget(const Ccc& ccc) const;
  void requestCredit(Ccc& ccc, bool again, Picoseconds now);

  // uet_sender_feedback.cc
  [[nodiscard]] std::uint32_t pdcOf(const fabric::Packet& packet) const;
  void established(Pdc& pdc, Picoseconds now);
  void ackSlot(Pdc& pdc, Ccc& ccc, std::uint64_t psn, bool marked, Picoseconds now);
  void complete(Pdc& pdc, const TxMessage& message, Picoseconds now);
  bool advance(std::uint32_t slot, Picoseconds now);
  void idleIfDone(std::uint32_t slot, Picoseconds now);
  void markLost(Pdc& pdc, Ccc& ccc, std::uint64_t psn);
  void goBack(Pdc& pdc, Ccc& ccc, std::uint64_t psn);
  void inferLosses(Pdc& pdc, Ccc& ccc, Picoseconds now);
  void onLostPacket(std::uint32_t slot, const fabric::Packet& packet, Picoseconds now);
  void onOutOfOrder(std::uint32_t slot, const fabric::Packet& packet, Picoseconds now);
  void onNoPdc(std::uint32_t slot, const fabric::Packet& packet, Picoseconds now);
  void afterFeedback(std::uint32_t slot, Picoseconds now);
  void armRetransmission(std::uint32_t slot, Picoseconds now);
  void onRetransmissionTimer(const UetTimerEntry& timer, Picoseconds now);
  void onCreditTimer(const UetTimerEntry& timer, Picoseconds now);

  UetHost& host_;
  UetCongestionControl control_;
  bool connectionless_;  // no PDCs: RUDI, UUD
  bool infers_losses_;
  PdsType data_type_;
  std::uint32_t mtu_cost_;           // nominal size of a full packet
  std::uint32_t write_overhead_;     // nominal size without payload
  std::uint32_t response_overhead_;  // of read data
  std::int32_t frame_excess_;        // frame bytes beyond the nominal size
  std::int64_t fixed_window_;
  std::int64_t credit_window_;
  NsccParameters nscc_parameters_;

  std::vector<Pdc> pdcs_;
  std::vector<std::uint32_t> free_pdcs_;
  IdMap by_flow_;  // (returning, peer, flow) → PDC that takes messages
  IdMap by_id_;    // PDC id → PDC
  std::vector<Ccc> cccs_;
  std::vector<std::uint32_t> free_cccs_;
  IdMap ccc_of_;  // peer → context
  fabric::Ring<std::uint32_t> ready_;
  fabric::Ring<std::uint32_t> waiting_;    // PDCs in state kWaiting
  fabric::Ring<std::uint32_t> returning_;  // the same, for read data
  std::uint32_t idle_head_ = kNone;
  std::uint32_t idle_tail_ = kNone;
  Picoseconds next_close_ = kNever;
  fabric::Ring<FreeId> free_ids_;
  std::uint32_t next_id_ = 1;
  std::uint64_t started_ = 0;         // PDCs ever
  std::size_t open_ = 0;              // ids in use, return directions not counted
  std::uint32_t active_sources_ = 0;  // contexts with a backlog
  std::vector<Completion> completions_;
  std::vector<Flow> flows_;  // cold: every flow that ever was
  IdMap flow_of_;            // peer << 8 | flow → flows_
};

}  // namespace plumbline::transport
