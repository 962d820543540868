// Requests one at a time, with one prompt length per point: I6.1 and I10.1 of the inference draft.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite/inference/serving_trial.h"

namespace plumbline::suite {

struct SingleRequests {
  std::vector<std::uint32_t> standard;  // prompt lengths of the draft [tokens]
  std::vector<std::uint32_t> quick;
  std::uint32_t repetitions = 20;  // of the draft
};

// Points: prompt lengths. A trial has `requests` requests, each sent when the previous one is done;
// repetitions have other seeds, and so other paths through the fabric.
Design singleRequestDesign(const TestConfig& config, const SingleRequests& numbers);
// Means of these figures over the prompt length, for a chart: one series each.
std::vector<results::Series> overPrompt(const Design& design, const std::vector<Measured>& measured,
                                        const std::vector<Figure>& figures);
// Tables, KPIs and the main figure.
void reportSingleRequests(const TestConfig& config, const Design& design,
                          const std::vector<Measured>& measured, ResultBuilder& builder);

}  // namespace plumbline::suite
