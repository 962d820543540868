// One Verilated card behind its pins: what CardSim drives, whatever its number of ports.
//
// Verilator makes a class per parameter set. Their pins differ only in width, so they are reached
// as plain memory: wide vectors as 32-bit words, least significant first, port p of an n-bit pin at
// bits n·p and up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/units.h"
#include "sim/axi_memory.h"

namespace plumbline::sim {

// 32-bit words per port of the wide pins.
inline constexpr std::size_t kDataWords = 16;
inline constexpr std::size_t kKeepWords = 2;
inline constexpr std::size_t kSetWords = 2;
inline constexpr std::size_t kDescriptorWords = 3;

// The register port; constant pins are outputs of the card.
struct AxiLitePins {
  std::uint16_t* awaddr;
  std::uint8_t* awvalid;
  const std::uint8_t* awready;
  std::uint32_t* wdata;
  std::uint8_t* wstrb;
  std::uint8_t* wvalid;
  const std::uint8_t* wready;
  const std::uint8_t* bresp;
  const std::uint8_t* bvalid;
  std::uint8_t* bready;
  std::uint16_t* araddr;
  std::uint8_t* arvalid;
  const std::uint8_t* arready;
  const std::uint32_t* rdata;
  const std::uint8_t* rresp;
  const std::uint8_t* rvalid;
  std::uint8_t* rready;
};

// Copies of one direction's frames on their way to the DMA: beats and, later, a descriptor per
// frame.
struct CapturePins {
  const std::uint32_t* data;
  const std::uint32_t* keep;
  const std::uint8_t* valid;
  const std::uint8_t* last;
  const std::uint8_t* descriptor_valid;
  const std::uint32_t* descriptor;  // 96 bits per port, see plumb_card.sv
};

// Where captures end at the card's pins.
struct CaptureEndPins {
  CapturePins received;
  CapturePins sent;
  std::uint8_t* ready;
};

// ... and of a card that reaches the host's memory, the way there.
struct MemoryPins {
  AxiWritePins write;
  AxiReadPins read;
};

// What MACs set is set before the edge after which the card is to see it: the models have registers
// there (hw/rtl/top/plumb_port_pins.sv). Other inputs are set after that edge.
struct CardPins {
  std::uint8_t* clk;
  std::uint8_t* rst_n;
  AxiLitePins axi;
  // AXI4-Stream to the MACs; one bit per port in valid, last and ready.
  const std::uint32_t* tx_data;
  const std::uint32_t* tx_keep;
  const std::uint8_t* tx_valid;
  const std::uint8_t* tx_last;
  std::uint8_t* tx_ready;
  const std::uint32_t* tx_preamble;  // kSetWords per port
  // AXI4-Stream from the MACs.
  std::uint32_t* rx_data;
  std::uint32_t* rx_keep;
  std::uint8_t* rx_valid;
  std::uint8_t* rx_last;
  std::uint32_t* rx_preamble;
  // Control ordered sets, kSetWords per port.
  const std::uint8_t* tx_set_valid;
  const std::uint32_t* tx_set;
  std::uint8_t* tx_set_ready;
  std::uint8_t* rx_set_valid;
  std::uint32_t* rx_set;
  std::uint8_t* link_up;
  // One of the two.
  std::optional<CaptureEndPins> capture;
  std::optional<MemoryPins> memory;
};

class CardModel {
 public:
  virtual ~CardModel() = default;

  [[nodiscard]] const CardPins& pins() const { return pins_; }
  // Lets the model settle after its input pins were changed.
  virtual void eval() = 0;
  // Starts writing a waveform to `path`. Throws Error(kTester) when it cannot be written.
  virtual void openTrace(const std::string& path) = 0;
  // Adds the present state to the waveform, at `time`; times must ascend.
  virtual void dumpTrace(Picoseconds time) = 0;

 protected:
  CardPins pins_{};
};

// Throws Error(kUnsupported) when no model was built for `ports`.
std::unique_ptr<CardModel> makeCardModel(std::uint32_t ports);

}  // namespace plumbline::sim
