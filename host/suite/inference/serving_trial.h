// Common parts of the tests of serving systems: trials of the scenario's system, and figures of the
// measured requests. Everything above the fabric is modelled (docs/model/serving.md); KV cache
// crosses the fabric packet by packet.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "serving/metrics.h"
#include "serving/program.h"
#include "suite/framework/figures.h"

namespace plumbline::suite {

// The scenario's `serving` section, or its defaults.
const scenario::ServingSection& servingSection(const TestConfig& config);

// Hosts of the system's NICs: the scenario's; in a topology of pools each pool's own; else an empty
// list, which means host i for NIC i.
std::vector<std::uint32_t> servingHosts(const TestConfig& config,
                                        const serving::ServingProgram& program);

// A trial of the scenario's fabric, transport and seed with this system alone.
bench::TrialSpec servingTrial(const TestConfig& config, serving::ServingProgram program);
// Why the system does not fit into the topology: nothing if it does.
std::optional<std::string> servingRefusal(const TestConfig& config,
                                          const serving::ServingProgram& program);
// Approximate number of packets that cross a link for `requests` requests of the program's mean
// prompt.
double servingHops(const TestConfig& config, const serving::ServingProgram& program,
                   double requests);

// Receive rate of all NICs of the decode pool, by their cables [byte/s].
double receivingRate(const TestConfig& config, const serving::ServingProgram& program);

// Lines of the report's configuration: model, parallelism, accelerators, load (inference draft,
// section 14).
void configureServing(const TestConfig& config, Design& design);
// The same without the pools, for tests that sweep them.
void configureModel(const TestConfig& config, Design& design);

// Distribution of the KV cache of one request of `tokens` tokens over the NICs.
serving::MappingLoad requestLoad(const serving::ServingProgram& program, std::uint64_t tokens);

// A figure of the measured requests of a trial; absent means "not reached".
using OfServing = std::function<std::optional<Reading>(const serving::ServingMetrics& metrics,
                                                       const serving::ServingResult& result)>;
Figure servingFigure(std::string column, std::string unit, std::string kpi,
                     const serving::SloSpec& slo, OfServing of);

// Seconds as milliseconds, and a percentile of a distribution of seconds likewise.
std::optional<Reading> inMilliseconds(std::optional<double> seconds);
std::optional<Reading> percentileMs(const serving::Distribution& distribution, double quantile);

// First post to last arrival of the measured requests' KV cache [s]; requests whose KV cache did
// not arrive count as not reached, requests without a transfer are left out.
serving::Distribution transferTimes(const serving::ServingResult& result);

// TTFT: mean, P50, P95, P99; its parts; the share of the fabric.
std::vector<Figure> ttftFigures(const serving::SloSpec& slo);
// KV cache transfer: P50, P95, P99, and bandwidth.
std::vector<Figure> transferFigures(const serving::SloSpec& slo);
// Whether every measured answer is a single token, so that figures of the time between tokens have
// nothing to measure.
bool hasNoGaps(const bench::TrialResult& trial);
// Time between tokens and per token, time of a whole request.
std::vector<Figure> tokenFigures(const serving::SloSpec& slo);
// Tokens per second, goodput, unfinished requests.
std::vector<Figure> throughputFigures(const serving::SloSpec& slo);
// Evictions, preemptions, repeated KV cache transfers, prefill time lost to lack of pages.
std::vector<Figure> memoryFigures(const serving::SloSpec& slo);
// All of these together.
std::vector<Figure> servingFigures(const serving::SloSpec& slo);
// Appends `more`.
void append(std::vector<Figure>& figures, std::vector<Figure> more);
// The figures of `all` with these KPIs, in the order of `kpis`.
std::vector<Figure> chosen(std::vector<Figure> all, const std::vector<std::string>& kpis);
// Makes the primary one of `figures`, at the last point that has it, a main figure of the result.
void addMainFigure(const Design& design, const std::vector<Measured>& measured,
                   const std::vector<Figure>& figures, ResultBuilder& builder);

// Their KPIs.
std::vector<std::string> ttftKpis();
std::vector<std::string> transferKpis();
std::vector<std::string> tokenKpis();
std::vector<std::string> throughputKpis();
std::vector<std::string> memoryKpis();

// Note below tables of these figures.
inline constexpr const char* kServingNote =
    "Requests, steps and queues are modelled; KV cache crosses the simulated fabric packet by "
    "packet. TTFT counts from a request's scheduled arrival, transfer NIC to NIC. A percentile, "
    "or a mean of the TTFT and its parts, in which an unfinished request takes part is not "
    "reached. "
    "Goodput counts all tokens of requests that arrived in the window, TPS output the tokens that "
    "came in it.";

}  // namespace plumbline::suite
