#include "sim/card_sim.h"

#include <bit>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "sim/axi_lite_master.h"
#include "sim/axi_memory.h"
#include "sim/capture_dma.h"
#include "sim/card_model.h"
#include "sim/mac_rx_model.h"
#include "sim/mac_tx_model.h"

namespace plumbline::sim {
namespace {

constexpr int kResetClocks = 8;
// A register access takes a few clocks; a card that has not answered after this many never will.
constexpr std::int64_t kBusTimeoutClocks = 100'000;
constexpr std::uint32_t kLastRegister = 0xFFFC;

std::string hex(std::uint32_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) {
    text += kDigits[(value >> shift) & 0xF];
  }
  return text;
}

// The memory that a card writes captures to and reads register writes from.
struct MemorySide {
  MemorySide(const MemoryPins& pins, const DeviceMemory& memory)
      : write(pins.write, memory), read(pins.read, memory) {}

  AxiWriteSlave write;
  AxiReadSlave read;
};

}  // namespace

class CardSim::Impl {
 public:
  // `memory` is null for a card whose captures end at its pins.
  Impl(const CardSimOptions& options, std::unique_ptr<CardModel> model, const DeviceMemory* memory)
      : model_(std::move(model)),
        pins_(model_->pins()),
        axi_(pins_.axi),
        ports_(options.ports),
        rx_(options.ports) {
    tx_.reserve(ports_);
    for (std::uint32_t port = 0; port < ports_; ++port) {
      tx_.emplace_back(options.mac_fifo_bytes);
    }
    if (pins_.memory && memory != nullptr) {
      memory_.emplace(*pins_.memory, *memory);
    } else {
      capture_.emplace(pins_.ports);
    }
    if (!options.trace_fst.empty()) {
      model_->openTrace(options.trace_fst);
      tracing_ = true;
    }
    reset();
  }

  void connect(PortPeer* peer) { peer_ = peer; }

  void deliver(std::uint32_t port, FrameBytes frame, Picoseconds first_bit, Preamble preamble) {
    checkArrival(port, "a frame", first_bit);
    rx_[port].deliver(std::move(frame), first_bit, preamble);
  }

  void deliverSet(std::uint32_t port, OrderedSet set, Picoseconds begin) {
    checkArrival(port, "an ordered set", begin);
    rx_[port].deliverSet(set, begin);
  }

  void setLink(std::uint32_t port, bool up) {
    checkPort(port);
    link_up_ = up ? link_up_ | 1U << port : link_up_ & ~(1U << port);
  }

  void setPps(bool level) { *pins_.pps.in = level ? 1 : 0; }
  [[nodiscard]] bool pps() const { return *pins_.pps.out != 0; }

  void runUntil(Picoseconds time) {
    while (now_ < time) {
      step();
    }
  }

  [[nodiscard]] Picoseconds now() const { return now_; }
  [[nodiscard]] std::uint64_t cycles() const { return static_cast<std::uint64_t>(edge_); }

  [[nodiscard]] WireStats wireStats(std::uint32_t port) const {
    checkPort(port);
    return tx_[port].stats();
  }

  std::uint32_t read(std::uint32_t offset) {
    checkOffset(offset);
    axi_.startRead(static_cast<std::uint16_t>(offset));
    finishAccess("read", offset);
    return axi_.value();
  }

  void write(std::uint32_t offset, std::uint32_t value) {
    checkOffset(offset);
    axi_.startWrite(static_cast<std::uint16_t>(offset), value);
    finishAccess("write", offset);
  }

  std::vector<card::CapturedFrame> readCaptured() {
    return capture_ ? capture_->takeFrames() : std::vector<card::CapturedFrame>();
  }

 private:
  // Reset ends just before edge 0, so that the card's time starts with the simulated time. A
  // waveform shows it as ending at time 0.
  void reset() {
    model_->setReset(true);
    if (capture_) {
      for (const PortPins& port : pins_.ports)
        *port.capture_ready = 1;  // a beat is taken every clock
    }
    link_up_ = (1U << ports_) - 1;
    drivePins(now_);
    for (int clock = 0; clock < kResetClocks; ++clock) {
      model_->rise();
      model_->fall();
    }
    model_->setReset(false);
    model_->fall();
    trace(Picoseconds(0));
  }

  // One clock: from just after edge n to just after edge n + 1.
  void step() {
    const Picoseconds next = edgeTime(edge_ + 1);
    if (peer_ != nullptr) {
      peer_->advanceTo(next);
    }
    takeSentBeats(next);
    takeSentSets(next);
    if (capture_) {
      capture_->sample();
    }
    if (memory_) {
      memory_->write.sample();
      memory_->read.sample();
    }
    const bool bus_active = axi_.busy();
    if (bus_active) {
      axi_.sample();
    }
    drivePins(next);
    model_->rise();
    trace(next);
    ++edge_;
    now_ = next;
    if (bus_active) {
      axi_.drive();
    }
    if (memory_) {
      memory_->write.drive();
      memory_->read.drive();
    }
    model_->fall();
    trace(next + Picoseconds(kClockPeriodMax.count() / 2));
  }

  void trace(Picoseconds time) {
    if (tracing_) {
      model_->dumpTrace(time);
    }
  }

  // The beats that cross the MAC boundary at the edge at `edge`.
  void takeSentBeats(Picoseconds edge) {
    for (std::uint32_t port = 0; port < ports_; ++port) {
      const PortPins& pins = pins_.ports[port];
      if (*pins.tx_valid != 0 && ((ready_ >> port) & 1U) != 0) takeSentBeat(port, pins, edge);
    }
  }

  void takeSentBeat(std::uint32_t port, const PortPins& pins, Picoseconds edge) {
    const bool last = *pins.tx_last != 0;
    const std::uint64_t keep = *pins.tx_keep;
    checkKeep(port, keep, last);
    auto sent =
        tx_[port].beat(edge, reinterpret_cast<const std::uint8_t*>(pins.tx_data),
                       static_cast<std::size_t>(std::popcount(keep)), last, *pins.tx_preamble);
    if (sent && peer_ != nullptr) {
      peer_->onFrameFromCard(port, std::move(sent->frame), sent->first_bit, sent->preamble);
    }
  }

  // The ordered sets that cross the MAC boundary at the edge at `edge`, and those that have found
  // their place on the line.
  void takeSentSets(Picoseconds edge) {
    for (std::uint32_t port = 0; port < ports_; ++port) {
      const PortPins& pins = pins_.ports[port];
      const std::uint32_t mask = 1U << port;
      if (*pins.tx_set_valid == 0 && (sets_waiting_ & mask) == 0) continue;
      sets_waiting_ |= mask;
      if ((*pins.tx_set_valid & *pins.tx_set_ready) != 0) tx_[port].set(edge, *pins.tx_set);
      const auto sent = tx_[port].placeSet(edge);
      if (sent && peer_ != nullptr) {
        peer_->onSetFromCard(port, sent->set, sent->begin);
      }
      if (tx_[port].setReady()) {
        sets_waiting_ &= ~mask;
      }
    }
  }

  // The pins that the MACs drive during the clock that begins with the edge at `edge`.
  void drivePins(Picoseconds edge) {
    ready_ = 0;
    for (std::uint32_t port = 0; port < ports_; ++port) {
      const PortPins& pins = pins_.ports[port];
      const auto set = rx_[port].nextSet(edge);
      if (set) *pins.rx_set = *set;
      *pins.rx_set_valid = static_cast<std::uint8_t>(set.has_value());
      const bool ready = tx_[port].ready(edge);
      *pins.tx_ready = static_cast<std::uint8_t>(ready);
      ready_ |= ready ? 1U << port : 0U;
      *pins.tx_set_ready = static_cast<std::uint8_t>((~sets_waiting_ >> port) & 1U);
      *pins.link_up = static_cast<std::uint8_t>((link_up_ >> port) & 1U);
      const auto beat = rx_[port].next(edge);
      *pins.rx_valid = static_cast<std::uint8_t>(beat.has_value());
      if (!beat) continue;
      *pins.rx_last = static_cast<std::uint8_t>(beat->last);
      *pins.rx_keep = ~std::uint64_t{0} >> (kBeatBytes - beat->bytes);
      *pins.rx_preamble = beat->preamble;
      std::memcpy(pins.rx_data, beat->data, beat->bytes);
    }
  }

  void finishAccess(const char* kind, std::uint32_t offset) {
    const std::int64_t limit = edge_ + kBusTimeoutClocks;
    while (axi_.busy()) {
      if (edge_ >= limit) {
        throw Error(ErrorKind::kTester, "the card does not answer on its register bus",
                    std::string(kind) + " of register " + hex(offset));
      }
      step();
    }
    if (axi_.response() != 0) {
      throw Error(
          ErrorKind::kTester,
          "the card refused a register access with response " + std::to_string(axi_.response()),
          std::string(kind) + " of register " + hex(offset));
    }
  }

  void checkPort(std::uint32_t port) const {
    if (port >= ports_) {
      throw Error(ErrorKind::kTester, "the card has no port " + std::to_string(port), "",
                  "0 to " + std::to_string(ports_ - 1));
    }
  }

  void checkArrival(std::uint32_t port, const char* what, Picoseconds time) const {
    checkPort(port);
    if (time < now_) {
      throw Error(ErrorKind::kTester, std::string(what) + " towards the card arrives in the past",
                  "port " + std::to_string(port) + ", at " + std::to_string(time.count()) + " ps",
                  "not before " + std::to_string(now_.count()) + " ps");
    }
  }

  static void checkOffset(std::uint32_t offset) {
    if (offset % 4 != 0 || offset > kLastRegister) {
      throw Error(ErrorKind::kTester, "there can be no register at this offset", hex(offset),
                  "a multiple of 4 up to " + hex(kLastRegister));
    }
  }

  // tkeep is all ones but on the last beat, where it is contiguous from bit 0 (docs/card.md).
  static void checkKeep(std::uint32_t port, std::uint64_t keep, bool last) {
    const bool contiguous = keep != 0 && (keep & (keep + 1)) == 0;
    if (!contiguous || (!last && keep + 1 != 0)) {
      throw Error(ErrorKind::kTester, "the card sent a beat with broken tkeep",
                  "port " + std::to_string(port));
    }
  }

  std::unique_ptr<CardModel> model_;
  const CardPins& pins_;
  AxiLiteMaster axi_;
  std::optional<CaptureDma> capture_;
  std::optional<MemorySide> memory_;
  std::uint32_t ports_;
  std::vector<MacTxModel> tx_;
  std::vector<MacRxModel> rx_;
  PortPeer* peer_ = nullptr;
  std::int64_t edge_ = 0;
  Picoseconds now_;
  std::uint32_t ready_ = 0;         // tready as driven, one bit per port
  std::uint32_t sets_waiting_ = 0;  // ports whose MAC holds or is offered an ordered set
  std::uint32_t link_up_ = 0;       // one bit per port
  bool tracing_ = false;
};

void PortPeer::onFrameFromCard(std::uint32_t port, FrameBytes frame, Picoseconds first_bit,
                               Preamble /*preamble*/) {
  onFrameFromCard(port, std::move(frame), first_bit);
}
void PortPeer::onSetFromCard(std::uint32_t /*port*/, OrderedSet /*set*/, Picoseconds /*begin*/) {}

CardSim::CardSim(const CardSimOptions& options)
    : impl_(std::make_unique<Impl>(options, makeCardModel(options.ports), nullptr)) {}
CardSim::CardSim(const CardSimOptions& options, std::unique_ptr<CardModel> model,
                 const DeviceMemory& memory)
    : impl_(std::make_unique<Impl>(options, std::move(model), &memory)) {}
CardSim::~CardSim() = default;

void CardSim::connect(PortPeer* peer) { impl_->connect(peer); }
void CardSim::deliver(std::uint32_t port, FrameBytes frame, Picoseconds first_bit,
                      Preamble preamble) {
  impl_->deliver(port, std::move(frame), first_bit, preamble);
}
void CardSim::deliverSet(std::uint32_t port, OrderedSet set, Picoseconds begin) {
  impl_->deliverSet(port, set, begin);
}
void CardSim::setLink(std::uint32_t port, bool up) { impl_->setLink(port, up); }
void CardSim::setPps(bool level) { impl_->setPps(level); }
bool CardSim::pps() const { return impl_->pps(); }
void CardSim::runUntil(Picoseconds time) { impl_->runUntil(time); }
Picoseconds CardSim::now() const { return impl_->now(); }
std::uint64_t CardSim::cycles() const { return impl_->cycles(); }
WireStats CardSim::wireStats(std::uint32_t port) const { return impl_->wireStats(port); }
std::uint32_t CardSim::read(std::uint32_t offset) { return impl_->read(offset); }
void CardSim::write(std::uint32_t offset, std::uint32_t value) { impl_->write(offset, value); }
void CardSim::wait(Picoseconds duration) { impl_->runUntil(impl_->now() + duration); }
std::vector<card::CapturedFrame> CardSim::readCaptured() { return impl_->readCaptured(); }

}  // namespace plumbline::sim
