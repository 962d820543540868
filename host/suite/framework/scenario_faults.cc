#include "suite/framework/scenario_faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/counted.h"
#include "suite/framework/profile.h"

namespace plumbline::suite {
namespace {

std::string textOf(const fabric::FailureSpec& one) {
  return fmt::format("{} is down from {} on{}", one.element, durationText(one.down),
                     one.up ? " until " + durationText(*one.up) : std::string());
}

std::string textOf(const fabric::BitErrorSpec& one) {
  return fmt::format("{} per bit on {}", one.rate,
                     one.link == "*" ? std::string("every link") : one.link);
}

std::string textOf(const fabric::PauseStormSpec& one) {
  return fmt::format("host {} sends PAUSE from {} on for {}", one.host, durationText(one.start),
                     durationText(one.duration));
}

// Times are those of the trial, where a test has a schedule of its own (T12.1).
bool same(const fabric::FailureSpec& a, const fabric::FailureSpec& b) {
  return a.element == b.element;
}

bool same(const fabric::BitErrorSpec& a, const fabric::BitErrorSpec& b) {
  return a.link == b.link && a.rate == b.rate;
}

bool same(const fabric::PauseStormSpec& a, const fabric::PauseStormSpec& b) {
  return a.host == b.host && a.priorities == b.priorities;
}

Picoseconds beginOf(const fabric::FailureSpec& one) { return one.down; }
Picoseconds beginOf(const fabric::BitErrorSpec& /*one*/) { return {}; }
Picoseconds beginOf(const fabric::PauseStormSpec& one) { return one.start; }

// When `fault` of the scenario begins in a trial; nothing if the trial does not have it. Of several
// of one element, the one that begins when the scenario says, or else the first.
template <typename Spec>
std::optional<Picoseconds> beginIn(const std::vector<Spec>& trial, const Spec& fault) {
  std::optional<Picoseconds> first;
  for (const Spec& one : trial) {
    if (!same(one, fault)) continue;
    if (beginOf(one) == beginOf(fault)) return beginOf(fault);
    first = std::min(first.value_or(beginOf(one)), beginOf(one));
  }
  return first;
}

}  // namespace

ScenarioFaults::ScenarioFaults(const scenario::Scenario& scenario)
    : failures_(scenario.failures), bit_errors_(scenario.bit_errors), storms_(scenario.storms) {
  const auto list = [](const char* text, const auto& specs, Kind& kind) {
    kind.text = text;
    for (const auto& one : specs) kind.faults.push_back({textOf(one)});
  };
  list("failures of the DUT (dut.failures)", failures_, failing_);
  list("bit errors of the DUT (dut.bit_errors)", bit_errors_, damaged_);
  list("PAUSE storms of the DUT (dut.pause_storms)", storms_, pausing_);
}

void ScenarioFaults::add(const bench::TrialSpec& spec, const bench::TrialResult& trial) {
  ++trials_;
  const auto count = [&](const auto& specs, const auto& in_trial, Kind& kind) {
    for (std::size_t i = 0; i < specs.size(); ++i) {
      const std::optional<Picoseconds> begin = beginIn(in_trial, specs[i]);
      if (!begin) continue;
      const bool late = trial.fabric && *begin >= trial.fabric->sim_end;
      ++(late ? kind.faults[i].late : kind.faults[i].trials);
    }
  };
  count(failures_, spec.dut.failures, failing_);
  count(bit_errors_, spec.dut.bit_errors, damaged_);
  count(storms_, spec.dut.storms, pausing_);
}

std::string ScenarioFaults::extentOf(const Fault& fault) const {
  if (fault.trials == trials_) return {};
  if (fault.trials > 0) {
    return fmt::format("in {} of {}: ", fault.trials, counted(trials_, "trial"));
  }
  return fault.late > 0 ? "not reached, the trials end before: "
                        : "not in the trials, which the test sets up itself: ";
}

std::vector<std::string> ScenarioFaults::deviations() const {
  std::vector<std::string> texts;
  if (trials_ == 0) return texts;
  for (const Kind* kind : {&failing_, &damaged_, &pausing_}) {
    std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // of equal extent
    for (const Fault& fault : kind->faults) {
      const std::string extent = extentOf(fault);
      auto group = std::find_if(groups.begin(), groups.end(),
                                [&](const auto& one) { return one.first == extent; });
      if (group == groups.end()) group = groups.insert(group, {extent, {}});
      group->second.push_back(fault.text);
    }
    for (const auto& [extent, faults] : groups) {
      texts.push_back(fmt::format("{}{}: {}", extent, kind->text, fmt::join(faults, "; ")));
    }
  }
  return texts;
}

}  // namespace plumbline::suite
