// A card composed of Verilated models: one of the common part of its ports (plumb_card_common) and
// one of a port (plumb_card_port) for each port, all of one class.
//
// The wires between them in plumb_card are copied here. Every wire comes from a register, so that
// one pass per edge is enough:
//   rising edge    common part first; its outputs reach the ports' pins before their edge, because
//                  those have registers of their own (hw/rtl/top/plumb_port_pins.sv)
//   falling edge   ports first; the common part decides then whether its gated clock ticks next
// A build with PLUMBLINE_CARD_SIM_COMPARE compares it, clock by clock, with plumb_card as one
// model.
#pragma once

#include <verilated.h>
#include <verilated_fst_c.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/units.h"
#include "sim/card_model.h"

class VPlumbCardCommon;
class VPlumbCardPort;

namespace plumbline::sim {

// A waveform of several models of one context; they are added before it is opened.
class Waveform {
 public:
  template <typename Model>
  void add(Model& model) {
    constexpr int kDepth = 99;
    model.trace(&file_, kDepth);
  }
  // Throws Error(kTester) when the file cannot be written.
  void open(const std::string& path);
  void dump(Picoseconds time) { file_.dump(static_cast<std::uint64_t>(time.count())); }
  void close() { file_.close(); }

 private:
  VerilatedFstC file_;
};

class SimulatedCard final : public CardModel {
 public:
  // `ports`: 1 to kMaxCardPorts.
  explicit SimulatedCard(std::uint32_t ports);
  ~SimulatedCard() override;
  SimulatedCard(const SimulatedCard&) = delete;
  SimulatedCard& operator=(const SimulatedCard&) = delete;

  void setReset(bool active) override;
  void rise() override;
  void fall() override;
  void openTrace(const std::string& path) override;
  void dumpTrace(Picoseconds time) override { waveform_.dump(time); }

  // For an additional model: the context that all models of a waveform share, and the models.
  [[nodiscard]] VerilatedContext& context() { return context_; }
  void addTo(Waveform& waveform);

 private:
  VerilatedContext context_;
  std::unique_ptr<VPlumbCardCommon> common_;
  std::vector<std::unique_ptr<VPlumbCardPort>> ports_;
  Waveform waveform_;
};

}  // namespace plumbline::sim
