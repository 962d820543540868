#include "suite/free/links.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fabric/topology/topology.h"
#include "suite/free/repetitions.h"

namespace plumbline::suite {
namespace {

using bench::LinkLoad;

constexpr std::size_t kShownLinks = 16;

results::Quantity linkCount(std::uint64_t value, std::string unit = {}) {
  return modelled(static_cast<double>(value), std::move(unit));
}

std::vector<results::Cell> rowOf(const LinkLoad& link) {
  return {link.name,
          modelled(100 * link.utilisation, "%"),
          modelled(link.rate.toGigabitsPerSecond(), "Gb/s"),
          linkCount(link.packets),
          linkCount(link.bytes, "B"),
          linkCount(link.marked),
          linkCount(link.dropped),
          linkCount(link.pauses),
          modelled(link.paused.toMicroseconds(), "us"),
          linkCount(link.max_queue_bytes, "B")};
}

// The links without traffic, in the order of the topology.
std::vector<LinkLoad> idleLinks(const fabric::FabricSpec& dut,
                                const std::vector<LinkLoad>& carrying) {
  std::unordered_set<std::string> busy;
  for (const LinkLoad& link : carrying) busy.insert(link.name);
  const fabric::Topology topology = fabric::buildTopology(dut.topology);
  std::vector<LinkLoad> idle;
  for (fabric::LinkId id = 0; id < topology.links().size(); ++id) {
    LinkLoad link;
    link.name = topology.linkName(id);
    link.rate = topology.links()[id].rate;
    if (!busy.contains(link.name)) idle.push_back(std::move(link));
  }
  return idle;
}

void addPausedPorts(const std::vector<LinkLoad>& links, Picoseconds end, ResultBuilder& builder) {
  std::vector<const LinkLoad*> paused;
  std::array<bool, 8> any{};
  for (const LinkLoad& link : links) {
    if (link.pauses == 0 && link.paused == Picoseconds(0)) continue;
    paused.push_back(&link);
    for (std::size_t p = 0; p < any.size(); ++p) {
      any[p] = any[p] || link.paused_by_priority[p] > Picoseconds(0);
    }
  }
  if (paused.empty()) return;
  std::stable_sort(paused.begin(), paused.end(),
                   [](const auto* a, const auto* b) { return a->paused > b->paused; });
  results::Table table{"paused_ports",
                       "Paused ports",
                       "Sending ports, by the link that they send into, longest paused first. Time "
                       "in which a priority may not send, summed over priorities; the share is of "
                       "the priority that was paused longest and of the same time as utilisation, "
                       "100 % where the pause outlasts it. Of the first repetition.",
                       {"Link", "Pauses begun", "Time paused", "Share"},
                       {}};
  table.shown_rows = kShownLinks;
  for (std::size_t p = 0; p < any.size(); ++p) {
    if (any[p]) table.columns.push_back(fmt::format("Priority {}", p));
  }
  for (const LinkLoad* link : paused) {
    const Picoseconds longest =
        *std::max_element(link->paused_by_priority.begin(), link->paused_by_priority.end());
    std::vector<results::Cell> row{
        link->name, linkCount(link->pauses), modelled(link->paused.toMicroseconds(), "us"),
        modelled(100 * std::min(longest.toSeconds() / end.toSeconds(), 1.0), "%")};
    for (std::size_t p = 0; p < any.size(); ++p) {
      if (any[p]) row.emplace_back(modelled(link->paused_by_priority[p].toMicroseconds(), "us"));
    }
    table.rows.push_back(std::move(row));
  }
  builder.result().tables.push_back(std::move(table));
}

}  // namespace

void addLinks(const fabric::FabricSpec& dut, const bench::TrialResult& trial,
              ResultBuilder& builder) {
  std::vector<LinkLoad> links = trial.fabric->links;
  std::stable_sort(links.begin(), links.end(), [](const LinkLoad& a, const LinkLoad& b) {
    return a.utilisation > b.utilisation;
  });
  results::Table table{"links",
                       "Links",
                       "Each direction of every cable, busiest first. Utilisation is the share of "
                       "the time until the last job was done and the last frame had left, or the "
                       "trial ended before; preambles and gaps are included. Marks, drops, pauses "
                       "and the queue are those of the "
                       "sending port; packets without a path are drops of the port that they "
                       "arrived at. Of the first repetition.",
                       {"Link", "Utilisation", "Rate", "Packets", "Bytes", "Marked", "Dropped",
                        "Pauses begun", "Time paused", "Longest queue"},
                       {}};
  table.shown_rows = kShownLinks;
  for (const LinkLoad& link : links) table.rows.push_back(rowOf(link));
  for (const LinkLoad& link : idleLinks(dut, links)) table.rows.push_back(rowOf(link));
  builder.result().tables.push_back(std::move(table));
  addPausedPorts(links, trial.fabric->load_end, builder);
}

}  // namespace plumbline::suite
