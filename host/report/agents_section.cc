#include "report/agents_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "report/table_html.h"
#include "results/number_text.h"

namespace plumbline::report {
namespace {

constexpr const char* kNote =
    "The offset is what the agent's clock showed more than the controller's at the first common "
    "start; the truth is within ±. All agents begin each trial at one instant. Late is by how much "
    "the trial that began latest missed its instant, by the agent's own clock; the start error is "
    "the same by the controller's clock and with the same ±.";

// In the unit that suits it.
std::string timeText(std::int64_t ns) {
  const auto size = static_cast<double>(std::abs(ns));
  const auto value = static_cast<double>(ns);
  if (size >= 1e9) return results::readableNumber(value / 1e9) + " s";
  if (size >= 1e6) return results::readableNumber(value / 1e6) + " ms";
  if (size >= 1e3) return results::readableNumber(value / 1e3) + " µs";
  return results::readableNumber(value) + " ns";
}

std::string timeText(const std::optional<std::int64_t>& ns) { return ns ? timeText(*ns) : "–"; }

std::string driftText(const results::AgentRecord& agent) {
  if (!agent.clock_drift_ppm || !agent.clock_drift_uncertainty_ppm) return "–";
  return fmt::format("{} ± {} ppm", results::readableNumber(*agent.clock_drift_ppm),
                     results::readableNumber(*agent.clock_drift_uncertainty_ppm));
}

}  // namespace

results::Table agentsTable(const std::vector<results::AgentRecord>& agents) {
  const bool again = std::any_of(agents.begin(), agents.end(),
                                 [](const auto& agent) { return agent.attempt > 1; });
  results::Table table{"agents",
                       "",
                       kNote,
                       {"Agent", "Software", "Machine", "Run there", "Ended", "Trials",
                        "Clock offset", "Drift", "Start error", "Late"},
                       {}};
  if (again) table.columns.insert(table.columns.begin(), "Attempt");
  for (const results::AgentRecord& agent : agents) {
    std::vector<results::Cell> row;
    if (again) row.emplace_back(std::to_string(agent.attempt));
    row.insert(row.end(), {agent.name, agent.software, agent.machine, std::to_string(agent.run),
                           agent.outcome, std::to_string(agent.trials),
                           fmt::format("{} ± {}", timeText(agent.clock_offset_ns),
                                       timeText(agent.clock_uncertainty_ns)),
                           driftText(agent), timeText(agent.start_error_ns),
                           timeText(agent.late_ns) + (agent.late ? ", TOO LATE" : "")});
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string agentsHtml(const std::vector<results::AgentRecord>& agents) {
  if (agents.empty()) return "";
  return "<section>\n<h2>Agents</h2>\n" + tableHtml(agentsTable(agents)) + "</section>\n";
}

}  // namespace plumbline::report
