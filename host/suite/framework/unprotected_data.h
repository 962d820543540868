// RoCEv2 data of a priority that the switches neither pause nor mark, while they do so with others:
// an anomaly of any test's result. Most likely the priorities of switches and transport differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/trial/trial.h"
#include "results/test_result.h"

namespace plumbline::suite {

// Why DCQCN of data never acts; nothing where the switches mark packets of its priority.
std::optional<std::string> idleDcqcn(const fabric::SwitchSpec& switches,
                                     const transport::RoceSpec& transport);

// Collects such trials of a test.
class UnprotectedData {
 public:
  // Counts a trial on a simulated DUT whose data has a priority without PFC, CBFC or ECN, while
  // another priority has one of them. `where` names the trial.
  void add(const bench::TrialSpec& spec, const std::string& where);

  // Nothing without such a trial.
  [[nodiscard]] std::optional<results::Anomaly> anomaly() const;

 private:
  std::uint64_t trials_ = 0;
  unsigned priority_ = 0;  // of the first
  std::string first_;      // trial
};

}  // namespace plumbline::suite
