#include "bench/trial/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "bench/sim/sim_bench.h"
#ifdef PLUMBLINE_CARD_SIM
#include "bench/card/rtl_bench.h"
#include "sim/card_sim.h"
#endif
#ifdef PLUMBLINE_CARD_XRT
#include "bench/card/fpga_bench.h"
#include "card_xrt/xrt_bus.h"
#endif
#ifdef PLUMBLINE_BENCH_OFI
#include "bench_ofi/libfabric_bench.h"
#endif
#ifdef PLUMBLINE_BENCH_VERBS
#include "bench_verbs/verbs_bench.h"
#endif

namespace plumbline::bench {
namespace {

struct Entry {
  BenchInfo info;
  std::unique_ptr<Bench> (*make)(const BenchOptions& options);
};

#ifdef PLUMBLINE_CARD_XRT
std::vector<OpenCard> openFpgaCards(const FpgaSpec& spec) {
  if (spec.xclbin.empty()) {
    throw Error(ErrorKind::kUsage, "the scenario does not name a card", "fpga",
                "fpga: {xclbin: FILE} with the file of the packed card");
  }
  std::vector<OpenCard> cards;
  for (const std::string& device : spec.devices) {
    auto bus = std::make_unique<card::XrtBus>(card::XrtOptions{device, spec.xclbin});
    std::string description = bus->description();
    cards.push_back({std::move(bus), std::move(description)});
  }
  return cards;
}
#endif

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
#ifdef PLUMBLINE_CARD_SIM
      {{"rtl", "the Verilated tester card before a simulated DUT"},
       [](const BenchOptions& options) -> std::unique_ptr<Bench> {
         return std::make_unique<RtlBench>(RtlBenchOptions{.trace_fst = options.trace_fst});
       }},
#endif
      {{"sim", "simulated hosts and fabric, packet by packet"},
       [](const BenchOptions& options) -> std::unique_ptr<Bench> {
         return std::make_unique<SimBench>(
             SimBenchOptions{.line_rate = options.line_rate, .threads = options.threads});
       }},
#ifdef PLUMBLINE_CARD_XRT
      {{"fpga", "tester cards in this host, through the Xilinx Runtime"},
       [](const BenchOptions& options) -> std::unique_ptr<Bench> {
         if (!options.fpga) return std::make_unique<FpgaBench>();
         return std::make_unique<FpgaBench>(*options.fpga, openFpgaCards(*options.fpga));
       }},
#endif
#ifdef PLUMBLINE_BENCH_OFI
      {{"libfabric", "ordinary hosts through a provider of libfabric"},
       [](const BenchOptions& options) -> std::unique_ptr<Bench> {
         return std::make_unique<bench_ofi::LibfabricBench>(options.endpoint, options.line_rate);
       }},
#endif
#ifdef PLUMBLINE_BENCH_VERBS
      {{"verbs", "ordinary RDMA NICs through rdma-core"},
       [](const BenchOptions& options) -> std::unique_ptr<Bench> {
         return std::make_unique<bench_verbs::VerbsBench>(options.endpoint, options.line_rate);
       }},
#endif
  };
  return all;
}

}  // namespace

const std::vector<BenchInfo>& benches() {
  static const std::vector<BenchInfo> infos = [] {
    std::vector<BenchInfo> list;
    for (const Entry& entry : entries()) list.push_back(entry.info);
    return list;
  }();
  return infos;
}

std::vector<OptionalBench> missingBenches() {
  std::vector<OptionalBench> missing;
  std::copy_if(std::begin(kOptionalBenches), std::end(kOptionalBenches),
               std::back_inserter(missing), [](const OptionalBench& optional) {
                 return std::none_of(entries().begin(), entries().end(), [&](const Entry& entry) {
                   return entry.info.name == optional.name;
                 });
               });
  return missing;
}

std::vector<CardSlot> cardSlots() {
#ifdef PLUMBLINE_CARD_XRT
  std::vector<CardSlot> slots;
  for (card::XrtDevice& device : card::xrtDevices()) {
    slots.push_back({std::move(device.number), std::move(device.bdf), std::move(device.name)});
  }
  return slots;
#else
  throw Error(ErrorKind::kUnsupported, "this build has no bench fpga", {},
              "a build with the package libxrt-dev");
#endif
}

bool hasCardSlots() {
#ifdef PLUMBLINE_CARD_XRT
  try {
    return card::xrtDeviceCount() > 0;
  } catch (const Error&) {
    return false;
  }
#else
  return false;
#endif
}

std::vector<OpenCard> openCards(const std::string& bench, [[maybe_unused]] const FpgaSpec& spec) {
  std::vector<std::string> names;
#ifdef PLUMBLINE_CARD_SIM
  if (bench == "rtl") {
    constexpr std::uint32_t kPorts = 2;
    std::vector<OpenCard> cards;
    cards.push_back({std::make_unique<sim::CardSim>(sim::CardSimOptions{.ports = kPorts}),
                     fmt::format("simulated card of {} ports", kPorts)});
    return cards;
  }
  names.emplace_back("rtl");
#endif
#ifdef PLUMBLINE_CARD_XRT
  if (bench == "fpga") return openFpgaCards(spec);
  names.emplace_back("fpga");
#endif
  throw Error(ErrorKind::kUsage, fmt::format("the bench '{}' has no cards in this build", bench),
              {},
              names.empty() ? "a build with the card's simulation, or with libxrt-dev"
                            : fmt::format("one of: {}", fmt::join(names, ", ")));
}

std::unique_ptr<Bench> makeBench(const std::string& name, const BenchOptions& options) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.info.name == name) return entry.make(options);
    names.push_back(entry.info.name);
  }
  std::string remedy = fmt::format("one of: {}", fmt::join(names, ", "));
  for (const OptionalBench& missing : missingBenches()) {
    if (name == missing.name) {
      remedy += fmt::format("; the {} bench needs a build with {}", name, missing.needs);
    }
  }
  throw Error(ErrorKind::kUsage, fmt::format("there is no bench '{}'", name), {}, remedy);
}

}  // namespace plumbline::bench
