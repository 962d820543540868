#include "suite/framework/data_priority.h"

#include <algorithm>
#include <variant>

namespace plumbline::suite {

unsigned dataPriority(const bench::TransportSpec& transport) {
  return std::visit([](const auto& one) -> unsigned { return one.data_priority; }, transport);
}

bool holdsSendersBack(const fabric::SwitchSpec& switches, unsigned priority) {
  unsigned lossless = switches.pfc ? switches.pfc->priorities : 0U;
  lossless |= switches.cbfc ? switches.cbfc->channels : 0U;
  return (lossless >> priority & 1U) != 0;
}

const fabric::EcnSpec* markingOf(const fabric::SwitchSpec& switches, unsigned priority) {
  const auto rule = std::find_if(
      switches.ecn.begin(), switches.ecn.end(),
      [&](const fabric::EcnSpec& one) { return (one.priorities >> priority & 1U) != 0; });
  return rule == switches.ecn.end() ? nullptr : &*rule;
}

}  // namespace plumbline::suite
