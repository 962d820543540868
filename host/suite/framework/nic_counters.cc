#include "suite/framework/nic_counters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "bench/sim/nic_figures.h"

namespace plumbline::suite {
namespace {

using NicCounts = std::map<std::string, std::uint64_t>;

// A figure of one port or device.
struct OwnedFigure {
  std::vector<std::string> counters;
  std::uint64_t sum = 0;
};

results::Quantity countQuantity(std::uint64_t value) {
  results::Quantity quantity;
  quantity.value = static_cast<double>(value);
  quantity.observed = ObservationPoint::kEndpointSoftware;
  return quantity;
}

std::map<std::string, OwnedFigure> ownersOf(bench::NicFigure figure, const NicCounts& counters) {
  std::map<std::string, OwnedFigure> owners;
  for (const auto& [name, value] : counters) {
    const bench::HostCounter counter{name, value};
    if (bench::figureOfCounter(bench::counterOf(counter)) != figure) continue;
    OwnedFigure& owned = owners[std::string(bench::counterOwner(counter))];
    owned.counters.emplace_back(bench::counterOf(counter));
    owned.sum += value;
  }
  return owners;
}

void addNicFigures(const NicCounts& counters, results::TestResult& result) {
  results::Table table{"nic_figures",
                       "Errors and retransmissions counted by the NICs",
                       "Sums of the named hardware counters over all trials. A quantity without a "
                       "row has no counter; the deviations list it.",
                       {"Figure", "Counters", "Count"},
                       {}};
  for (const bench::NicFigure figure : bench::kNicFigures) {
    for (const auto& [owner, owned] : ownersOf(figure, counters)) {
      const std::string point = fmt::format("{}: {}", owner, fmt::join(owned.counters, " + "));
      result.kpis.push_back(
          {std::string(bench::nicFigureKpi(figure)), point, countQuantity(owned.sum)});
      table.rows.push_back(
          {std::string(bench::nicFigureName(figure)), point, countQuantity(owned.sum)});
    }
  }
  if (!table.rows.empty()) result.tables.push_back(std::move(table));
}

}  // namespace

void addNicCounters(const NicCounts& counters, results::TestResult& result) {
  if (counters.empty()) return;
  addNicFigures(counters, result);
  results::Table table{"host_counters",
                       "Hardware counters",
                       "Counted by the NICs themselves, summed over all trials.",
                       {"Counter", "Count"},
                       {}};
  for (const auto& [name, value] : counters) table.rows.push_back({name, countQuantity(value)});
  result.tables.push_back(std::move(table));
}

}  // namespace plumbline::suite
