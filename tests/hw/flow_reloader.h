// Loads one set of flows after the other into a port, with few register accesses where the driver
// has many: it writes words that differ from what is there, and reads nothing back.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>

#include "card/flow.h"
#include "card/register_bus.h"
#include "card/registers.h"

namespace plumbline::hw_test {

class FlowReloader {
 public:
  // `slots`: of the card (CardInfo::flows).
  FlowReloader(card::RegisterBus& bus, std::uint32_t port, std::uint32_t slots)
      : bus_(bus), port_(port), slots_(slots) {}

  // Forgets what the port has sent, and gives it these flows for the next start; the driver has
  // stopped the one before. What the card keeps through that is remembered: templates and
  // configuration.
  void load(std::span<const card::FlowConfig> flows);

 private:
  [[nodiscard]] std::uint32_t address(std::uint32_t offset) const {
    return card::regs::port::address(port_, offset);
  }
  void writeRow(std::uint32_t table, std::uint32_t row, const card::regs::TableRow& data);
  void waitWhile(card::regs::Field busy);

  card::RegisterBus& bus_;
  std::uint32_t port_;
  std::uint32_t slots_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, card::regs::TableRow> held_;
  card::regs::TableRow words_{};  // in TBL_DATA
  bool words_known_ = false;
};

}  // namespace plumbline::hw_test
