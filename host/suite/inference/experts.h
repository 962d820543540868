// Common parts of the tests of mixtures of experts (inference draft, section 7).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/trial/trial.h"
#include "suite/framework/fabric_procedure.h"
#include "suite/framework/figures.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {

// A row of the draft's table 7, or the scenario's own.
struct ExpertModel {
  std::string name;  // "M4"
  std::uint32_t experts = 0;
  std::uint32_t top_k = 0;
  std::uint64_t token_bytes = 0;  // H x P: a copy of a token in a dispatch
  std::uint32_t redundant = 0;

  [[nodiscard]] std::uint32_t slots() const { return experts + redundant; }
  std::string label() const;  // "M4 (256, 8, 14336 B)"
};

// One point: dispatches of a model among `ranks` ranks.
struct ExpertPoint {
  ExpertModel model;
  std::uint32_t ranks = 0;
  std::uint32_t batch = 0;  // tokens of a rank
};

// The models of the sweep. `standard` and `quick`: "M1" to "M4".
std::vector<ExpertModel> expertModels(const TestConfig& config, Numbers& numbers,
                                      const std::vector<std::string>& standard,
                                      const std::vector<std::string>& quick);

// `dispatches` of a point, uniform routing, low-latency mode, without combine.
workload::MoeProgram dispatchProgram(const TestConfig& config, const ExpertPoint& point,
                                     std::uint32_t dispatches);
// A trial with the program as its only job, on the first hosts. Layers begin at times that are far
// enough apart for each to find the fabric empty.
bench::TrialSpec expertTrial(const TestConfig& config, workload::MoeProgram program,
                             std::uint32_t ranks);
// Packets that cross links in it, and the cost of one.
double expertHops(const bench::TrialSpec& spec);
inline constexpr double kExpertHopCost = 1.0;

// The result of the trial's job `job`, which is a mixture of experts.
const workload::MoeResult& expertsOf(const bench::TrialResult& trial, std::size_t job = 0);

// Time of a dispatch including parts outside the network: max(fabric, inside servers) + overhead
// [us].
double expertLatency(const TestConfig& config, const bench::TrialResult& trial);
// Lower bound of the network's time: payload that a rank sends over the fabric on average, at the
// payload rate of its link [us].
double remoteBytesTime(const TestConfig& config, const bench::TrialResult& trial);

// Columns that several tests share.
Figure dispatchFigure();
// A figure of job 0, a mixture of experts; nothing where `of` returns none.
Figure expertFigure(std::string column, std::string unit, std::string kpi,
                    std::optional<double> (*of)(const workload::MoeResult& moe));
// Selections of the most selected rank over the mean: above 1 by chance, by skew, and where E is
// not a multiple of the ranks.
Figure busiestRankFigure();
// A quantile of the times of single ranks.
Figure rankTimeFigure(std::string column, std::string kpi, double quantile);
std::vector<Figure> dispatchTimeFigures(const TestConfig& config);
std::vector<Figure> dispatchBandwidthFigures();
std::vector<Figure> expertFabricFigures();
// Their KPIs.
std::vector<std::string> dispatchKpis();

// Common lines of the configuration: DUT label, observation classes, model inputs.
void configureExperts(const TestConfig& config, Numbers& numbers);
// Adds an anomaly where layers began late, so that dispatches overlapped.
void noteLateLayers(std::span<const Measured> measured, ResultBuilder& builder);

}  // namespace plumbline::suite
