// The pins of a simulated card: the interface that CardSim drives, for any implementation.
//
// Pins are accessed as plain memory: wide ones as 32-bit words, least significant first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "sim/axi_memory.h"

namespace plumbline::sim {

// 32-bit words of the wide pins.
inline constexpr std::size_t kDataWords = 16;
inline constexpr std::size_t kDescriptorWords = 3;

inline constexpr std::uint32_t kMaxCardPorts = 8;

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

// Copies of one direction's frames for the DMA: beats and, later, a descriptor per frame.
struct CapturePins {
  const std::uint32_t* data;  // kDataWords
  const std::uint64_t* keep;
  const std::uint8_t* valid;
  const std::uint8_t* last;
  const std::uint8_t* descriptor_valid;
  const std::uint32_t* descriptor;  // kDescriptorWords, see plumb_card.sv
};

// One port. A MAC's outputs are set before the edge after which the card is to see them: the models
// have registers there (hw/rtl/top/plumb_port_pins.sv). Other inputs are set after that edge.
struct PortPins {
  // AXI4-Stream to the MAC.
  const std::uint32_t* tx_data;  // kDataWords
  const std::uint64_t* tx_keep;
  const std::uint8_t* tx_valid;
  const std::uint8_t* tx_last;
  std::uint8_t* tx_ready;
  const std::uint64_t* tx_preamble;
  // AXI4-Stream from the MAC.
  std::uint32_t* rx_data;  // kDataWords
  std::uint64_t* rx_keep;
  std::uint8_t* rx_valid;
  std::uint8_t* rx_last;
  std::uint64_t* rx_preamble;
  // Control ordered sets.
  const std::uint8_t* tx_set_valid;
  const std::uint64_t* tx_set;
  std::uint8_t* tx_set_ready;
  std::uint8_t* rx_set_valid;
  std::uint64_t* rx_set;
  std::uint8_t* link_up;
  // Captures, if they end at the card's pins.
  CapturePins received;
  CapturePins sent;
  std::uint8_t* capture_ready;
};

// The interface to the host's memory.
struct MemoryPins {
  AxiWritePins write;
  AxiReadPins read;
};

// The pulse per second; in any clock.
struct PpsPins {
  std::uint8_t* in;
  const std::uint8_t* out;
};

struct CardPins {
  AxiLitePins axi;
  PpsPins pps;
  std::vector<PortPins> ports;
  // For a card with access to the host's memory, which receives its captures.
  std::optional<MemoryPins> memory;
};

class CardModel {
 public:
  virtual ~CardModel() = default;

  [[nodiscard]] const CardPins& pins() const { return pins_; }
  virtual void setReset(bool active) = 0;
  // The clock's rising edge: registers take their inputs.
  virtual void rise() = 0;
  // The falling edge: the model settles after input changes. Reset and pins other than a MAC's may
  // change again before the next rising edge if fall() follows.
  virtual void fall() = 0;
  // Starts writing a waveform to `path`. Throws Error(kTester) when it cannot be written.
  virtual void openTrace(const std::string& path) = 0;
  // Adds the present state to the waveform, at `time`; times must increase.
  virtual void dumpTrace(Picoseconds time) = 0;

 protected:
  CardPins pins_{};
};

// Throws Error(kUnsupported) unless `ports` is 1 to kMaxCardPorts.
std::unique_ptr<CardModel> makeCardModel(std::uint32_t ports);

}  // namespace plumbline::sim
