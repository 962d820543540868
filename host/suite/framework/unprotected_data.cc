#include "suite/framework/unprotected_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace plumbline::suite {
namespace {

bool marks(const fabric::SwitchSpec& switches, unsigned priority) {
  return std::any_of(switches.ecn.begin(), switches.ecn.end(), [&](const fabric::EcnSpec& rule) {
    return (rule.priorities >> priority & 1U) != 0;
  });
}

}  // namespace

std::optional<std::string> idleDcqcn(const fabric::SwitchSpec& switches,
                                     const transport::RoceSpec& transport) {
  if (marks(switches, transport.data_priority)) return std::nullopt;
  return fmt::format(
      "DCQCN never acts: the switches mark no packets of the data's priority {} (dut.switch.ecn)",
      transport.data_priority);
}

void UnprotectedData::add(const bench::TrialSpec& spec, const std::string& where) {
  if (!spec.transport) return;
  const auto* roce = std::get_if<transport::RoceSpec>(&*spec.transport);
  if (roce == nullptr) return;
  const fabric::SwitchSpec& switches = spec.dut.switches;
  unsigned lossless = switches.pfc ? switches.pfc->priorities : 0U;
  lossless |= switches.cbfc ? switches.cbfc->channels : 0U;
  const bool anything = lossless != 0 || !switches.ecn.empty();
  const unsigned priority = roce->data_priority;
  if (!anything || (lossless >> priority & 1U) != 0 || marks(switches, priority)) return;
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
