#include "suite/framework/scenario_faults.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

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

template <typename Fault>
std::string listOf(const char* what, const std::vector<Fault>& faults) {
  if (faults.empty()) return {};
  std::vector<std::string> texts;
  texts.reserve(faults.size());
  for (const Fault& fault : faults) texts.push_back(textOf(fault));
  return fmt::format("{}: {}", what, fmt::join(texts, "; "));
}

Picoseconds beginOf(const fabric::FailureSpec& one) { return one.down; }
Picoseconds beginOf(const fabric::BitErrorSpec& /*one*/) { return {}; }
Picoseconds beginOf(const fabric::PauseStormSpec& one) { return one.start; }

// When the first fault of the scenario begins in a trial; nothing if the trial has none of them.
template <typename Fault>
std::optional<Picoseconds> firstOf(const std::vector<Fault>& trial,
                                   const std::vector<Fault>& scenario) {
  std::optional<Picoseconds> first;
  for (const Fault& one : trial) {
    const bool known = std::any_of(scenario.begin(), scenario.end(),
                                   [&](const Fault& other) { return same(one, other); });
    if (known) first = std::min(first.value_or(beginOf(one)), beginOf(one));
  }
  return first;
}

}  // namespace

ScenarioFaults::ScenarioFaults(const scenario::Scenario& scenario)
    : failures_(scenario.failures), bit_errors_(scenario.bit_errors), storms_(scenario.storms) {
  failing_.text = listOf("failures of the DUT (dut.failures)", failures_);
  damaged_.text = listOf("bit errors of the DUT (dut.bit_errors)", bit_errors_);
  pausing_.text = listOf("PAUSE storms of the DUT (dut.pause_storms)", storms_);
}

void ScenarioFaults::add(const bench::TrialSpec& spec, const bench::TrialResult& trial) {
  ++trials_;
  const auto count = [&](std::optional<Picoseconds> begin, Kind& kind) {
    if (!begin) return;
    const bool late = trial.fabric && *begin >= trial.fabric->sim_end;
    ++(late ? kind.late : kind.trials);
  };
  count(firstOf(spec.dut.failures, failures_), failing_);
  count(firstOf(spec.dut.bit_errors, bit_errors_), damaged_);
  count(firstOf(spec.dut.storms, storms_), pausing_);
}

std::vector<std::string> ScenarioFaults::deviations() const {
  std::vector<std::string> texts;
  for (const Kind* kind : {&failing_, &damaged_, &pausing_}) {
    if (kind->text.empty() || trials_ == 0) continue;
    if (kind->trials == trials_) {
      texts.push_back(kind->text);
    } else if (kind->trials == 0 && kind->late > 0) {
      texts.push_back("not reached, the trials end before: " + kind->text);
    } else if (kind->trials == 0) {
      texts.push_back("not in the trials, which the test sets up itself: " + kind->text);
    } else {
      texts.push_back(
          fmt::format("in {} of {}: {}", kind->trials, counted(trials_, "trial"), kind->text));
    }
  }
  return texts;
}

}  // namespace plumbline::suite
