#include "suite/framework/unprotected_data.h"

#include <fmt/format.h>

#include <variant>

#include "suite/framework/data_priority.h"

namespace plumbline::suite {

std::optional<std::string> idleDcqcn(const fabric::SwitchSpec& switches,
                                     const transport::RoceSpec& transport) {
  if (markingOf(switches, transport.data_priority) != nullptr) return std::nullopt;
  return fmt::format(
      "DCQCN never acts: the switches mark no packets of the data's priority {} (dut.switch.ecn)",
      transport.data_priority);
}

void UnprotectedData::add(const bench::TrialSpec& spec, const std::string& where) {
  if (!spec.transport) return;
  const auto* roce = std::get_if<transport::RoceSpec>(&*spec.transport);
  if (roce == nullptr) return;
  const fabric::SwitchSpec& switches = spec.dut.switches;
  const unsigned priority = roce->data_priority;
  if (!switches.pfc && !switches.cbfc && switches.ecn.empty()) return;  // a choice
  if (holdsSendersBack(switches, priority) || markingOf(switches, priority) != nullptr) return;
  if (trials_ == 0) {
    priority_ = priority;
    first_ = where;
  }
  ++trials_;
}

std::optional<results::Anomaly> UnprotectedData::anomaly() const {
  if (trials_ == 0) return std::nullopt;
  return results::Anomaly{
      fmt::format("the data has priority {}, which is in no dut.switch.pfc.priorities, "
                  "cbfc.channels or ecn.priorities, while others are: nothing pauses it, and "
                  "nothing marks it for DCQCN",
                  priority_),
      trials_ == 1 ? first_ : fmt::format("{} trials, the first: {}", trials_, first_)};
}

}  // namespace plumbline::suite
