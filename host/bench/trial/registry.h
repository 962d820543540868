// The benches of this build by name. Declared here, where all libraries may use it; defined in
// host/registry, which is above all benches.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/card/open_card.h"
#include "bench/trial/bench.h"
#include "bench/trial/endpoint_spec.h"
#include "bench/trial/fpga_spec.h"

namespace plumbline::bench {

struct BenchOptions {
  std::string trace_fst;  // waveform of the card's simulation; empty = none
  // sim: rate of the hosts' links of the scenario, and threads of one simulation.
  BitRate line_rate = gigabitsPerSecond(100);
  unsigned threads = 1;
  // libfabric, verbs: what to open. Nothing: a bench that reports its capabilities and runs
  // nothing.
  std::optional<EndpointSpec> endpoint{};
  // fpga: the cards, likewise.
  std::optional<FpgaSpec> fpga{};
};

struct BenchInfo {
  std::string name;
  std::string description;  // one line
};

// Benches that makeBench() can make: "sim" and those of kOptionalBenches in this build.
const std::vector<BenchInfo>& benches();

// A bench that a build may lack, and the package that it needs: "libfabric" needs "libfabric-dev".
struct OptionalBench {
  const char* name;
  const char* needs;
  bool on_ordinary_hosts = false;  // reads the scenario's `endpoint:`
};
inline constexpr OptionalBench kOptionalBenches[] = {
    {"rtl", "the CMake option PLUMBLINE_CARD_SIM"},
    {"fpga", "the package libxrt-dev"},
    {"libfabric", "the package libfabric-dev", true},
    {"verbs", "the packages libibverbs-dev and librdmacm-dev", true},
};
// The optional benches that this build lacks.
std::vector<OptionalBench> missingBenches();

// A card slot of this host in which the fpga bench may find a card.
struct CardSlot {
  std::string number;  // "0", as `fpga.devices` has it
  std::string bdf;     // PCIe address, "0000:3b:00.1"; empty where it is unknown
  std::string name;    // of the platform
};

// The slots that the Xilinx Runtime finds. Throws Error(kUnsupported) when it is not set up, or the
// build lacks it.
std::vector<CardSlot> cardSlots();

// Whether there are any, without opening them; false where cardSlots() throws.
bool hasCardSlots();

// The cards of a bench, opened for work on the cards themselves: of "rtl" a simulated one, fresh
// out of reset; of "fpga" those of `spec`. Throws Error(kUsage) for a bench without cards or a spec
// that names none, and as the cards' buses.
std::vector<OpenCard> openCards(const std::string& bench, const FpgaSpec& spec);

// Makes a bench; its first trial starts any simulation. Throws Error(kUsage) for an unknown name,
// listing the known ones, and Error(kUnsupported) for an endpoint or a card that this machine does
// not have.
std::unique_ptr<Bench> makeBench(const std::string& name, const BenchOptions& options);

}  // namespace plumbline::bench
