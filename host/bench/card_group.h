// Simulated tester cards side by side, on one clock and one common time: their ports are counted
// through, and what they are connected to sees the ports of one tester.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "card/driver.h"
#include "sim/card_sim.h"

namespace plumbline::bench {

// One port of a tester: what its card's driver does with it (driver.h says what).
class TesterPort {
 public:
  TesterPort(card::Driver& driver, std::uint32_t number) : driver_(driver), number_(number) {}

  void setTiming(const card::PortTiming& timing) { driver_.setTiming(number_, timing); }
  void setCapture(bool received, bool sent) { driver_.setCapture(number_, received, sent); }
  void setPfcReaction(std::uint8_t priorities) { driver_.setPfcReaction(number_, priorities); }
  void setRxTracking(const card::RxTracking& tracking) { driver_.setRxTracking(number_, tracking); }
  void loadFlows(std::span<const card::FlowConfig> flows) { driver_.loadFlows(number_, flows); }
  [[nodiscard]] std::uint32_t slot(std::uint32_t flow) const { return driver_.slot(number_, flow); }
  [[nodiscard]] card::FlowControl flowControl() { return driver_.flowControl(number_); }
  [[nodiscard]] card::DamageControl damage() { return driver_.damage(number_); }
  [[nodiscard]] card::LinkRetry linkRetry() { return driver_.linkRetry(number_); }

  [[nodiscard]] card::PortCounters counters() { return driver_.counters(number_); }
  [[nodiscard]] card::PortFaults faults() { return driver_.faults(number_); }
  [[nodiscard]] card::TxState txState(std::uint32_t flow) { return driver_.txState(number_, flow); }
  [[nodiscard]] std::vector<std::uint64_t> queuePairsSent(std::uint32_t flow) {
    return driver_.queuePairsSent(number_, flow);
  }
  [[nodiscard]] std::vector<card::RxFlow> rxFlows(std::uint32_t first, std::uint32_t count) {
    return driver_.rxFlows(number_, first, count);
  }
  [[nodiscard]] stats::Histogram latency(std::uint32_t group) {
    return driver_.latency(number_, group);
  }
  [[nodiscard]] stats::Histogram retryLatency(card::RetryCause cause) {
    return driver_.retryLatency(number_, cause);
  }

 private:
  card::Driver& driver_;
  std::uint32_t number_;
};

// Whatever makes one card's clock go on (a register access, the passing of time), all cards are at
// the same edge of it afterwards. Not thread-safe.
class CardGroup {
 public:
  // `cards` of them with `ports` each. `trace_fst`: waveform of the first card; empty = none.
  // Throws Error(kUnsupported) for a number of ports that no model was built for.
  CardGroup(std::uint32_t cards, std::uint32_t ports, const std::string& trace_fst = {});
  ~CardGroup();
  CardGroup(const CardGroup&) = delete;
  CardGroup& operator=(const CardGroup&) = delete;

  [[nodiscard]] std::uint32_t ports() const;

  // Throws std::out_of_range for a port that the group does not have, as does all that takes one.
  [[nodiscard]] TesterPort port(std::uint32_t port) const;

  // As of sim::CardSim, with ports of the group.
  void connect(sim::PortPeer* peer) { peer_ = peer; }
  void deliver(std::uint32_t port, sim::FrameBytes frame, Picoseconds first_bit,
               sim::Preamble preamble = sim::kOrdinaryPreamble);
  void deliverSet(std::uint32_t port, sim::OrderedSet set, Picoseconds begin);
  void runUntil(Picoseconds time);
  [[nodiscard]] Picoseconds now() const;
  [[nodiscard]] sim::WireStats wireStats(std::uint32_t port) const;
  std::vector<card::CapturedFrame> takeCaptured();

  // As of card::Driver, for all cards.
  void reset();
  [[nodiscard]] Picoseconds cardTime();
  [[nodiscard]] Picoseconds earliestStart();
  // Starts all loaded ports of all cards together.
  void arm(Picoseconds start);
  [[nodiscard]] bool sending();
  void stop();
  [[nodiscard]] bool lateStart();  // of any card

 private:
  class Member;

  // `leader` is about to go on to the edge at `time`: so do the others.
  void step(const Member& leader, Picoseconds time);
  [[nodiscard]] Member& memberOf(std::uint32_t port) const;

  std::uint32_t ports_;  // of a card
  std::vector<std::unique_ptr<Member>> members_;
  sim::PortPeer* peer_ = nullptr;
  bool stepping_ = false;
};

}  // namespace plumbline::bench
