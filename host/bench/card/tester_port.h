// One port of a tester: the functions of its card's driver for this port (see card/driver.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "card/driver.h"

namespace plumbline::bench {

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
  [[nodiscard]] card::Mac mac() { return driver_.mac(number_); }

  [[nodiscard]] card::PortCounters counters() { return driver_.counters(number_); }
  void latchCounters() { driver_.latchCounters(number_); }
  [[nodiscard]] card::PortCounters latchedCounters() { return driver_.latchedCounters(number_); }
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

}  // namespace plumbline::bench
