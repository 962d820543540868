#include "suite/inference/sustained.h"

#include <fmt/format.h>

#include <variant>

namespace plumbline::suite {
namespace {

constexpr double kSustained = 0.8;  // inference draft, sections 12.3 and 13.1

}  // namespace

void sustainRate(const TestConfig& config, Numbers& numbers, serving::ServingProgram& program) {
  const auto& rates = config.scenario.parameters.rates;
  const double base = rates ? rates->front() : requestCapacity(program);
  if (!rates) {
    numbers.deviation(
        "Load: 80 % of the capacity of the pools, not of the rate that I11.1 found "
        "(parameters.rates)");
  }
  setRequestRate(program.workload, kSustained * base);
  const scenario::ServingSection& section = servingSection(config);
  const bool replaced = section.workload && !section.left_out.arrivals;
  numbers.configure("Load", fmt::format("{:.3g} requests/s, 80 % of {}{}", kSustained * base,
                                        rates ? "parameters.rates" : "the capacity of the pools",
                                        replaced ? "; not the rate of serving.workload" : ""));
}

serving::ServingProgram sustainedProgram(const TestConfig& config, Numbers& numbers,
                                         const serving::WindowSpec& window) {
  serving::ServingProgram program = servingSection(config).program;
  program.workload = loadOr(config, defaultLoad(config));
  program.system.window = window;
  sustainRate(config, numbers, program);
  return program;
}

void sampleBoth(Picoseconds interval, bench::TrialSpec& spec) {
  spec.serving->system.window.sample = interval;
  spec.sampling.emplace().interval = interval;
}

Picoseconds firstTimeout(const bench::TrialSpec& spec) {
  const bench::TransportSpec transport = spec.transport.value_or(transport::RoceSpec());
  if (const auto* roce = std::get_if<transport::RoceSpec>(&transport)) return roce->ack_timeout;
  return std::get<transport::UetSpec>(transport).rto;
}

}  // namespace plumbline::suite
