// Serving systems under a steady load: the points of tests that compare systems, loads and policies
// over one measuring window.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "suite/inference/serving_trial.h"

namespace plumbline::suite {

// The default load: Poisson arrivals, prompts Zipf(1) over 128 to 8,192 tokens (inference draft,
// section 6.2), answers of 128 tokens, of 32 in the quick profile.
serving::WorkloadSpec defaultLoad(const TestConfig& config);
// The scenario's load; what its file has not of arrivals, prompts and answers is that of
// `defaults`.
serving::WorkloadSpec loadOr(const TestConfig& config, const serving::WorkloadSpec& defaults);

// Sets the windows of all points: requests that arrive in `measure` after `warmup` are measured
// (draft: 60 s after 10 s; in the quick profile `quick_measure` after `quick_warmup`). Notes
// deviations.
serving::WindowSpec steadyWindow(const TestConfig& config, Numbers& numbers,
                                 Picoseconds quick_warmup = milliseconds(400),
                                 Picoseconds quick_measure = milliseconds(600));

// Adds a point; its packet-hops follow from the load's rate over the window. A closed loop is
// refused: it hides queues, and has no rate.
void addSteadyPoint(const TestConfig& config, Design& design, std::vector<std::string> values,
                    serving::ServingProgram program);
// The same with other jobs on the fabric, given their packet-hops per second of the trial.
void addSteadyPoint(const TestConfig& config, Design& design, std::vector<std::string> values,
                    serving::ServingProgram program, workload::WorkloadSpec background,
                    double background_hops_per_s);

// Prompt tokens per second that the prefill pool computes without waiting: full batches of the
// load's mean prompt.
double prefillCapacity(const serving::ServingProgram& program);
// Largest request rate that both prefill and decode pools can sustain.
double requestCapacity(const serving::ServingProgram& program);

// Share of each decode worker: bytes of KV cache and tokens of the measured requests, seconds in
// steps of the whole run.
enum class WorkerShare { kBytes, kBusy, kTokens };
std::vector<double> decodeShares(const serving::ServingResult& result, WorkerShare of);

// Coefficient of variation over the decode workers of the pages in use, mean over the run [%].
std::optional<Reading> memoryVariation(const serving::ServingResult& result);
// KV cache in the measuring window, per second of it [GB/s]: of every finished transfer the share
// of its time that is inside. KV cache comes in the batches of prefill, of which each worker may
// have one more or less in the window than in the mean. Nothing without a window, and where only
// transfers that have not ended were under way in it.
std::optional<Reading> kvThroughput(const serving::ServingResult& result);
// Largest number of simultaneous transfers.
double peakTransfers(const serving::ServingResult& result);

// Whether a request arrived in the window of any trial of a point.
bool hasRequests(const Measured& one);

// Whether the requests of a point keep the limits: TTFT P99, ITL P99, and all but one in a hundred
// done after window and drain. Answers of one token have no gap that could be too long.
bool keepsLimits(const Design& design, const Measured& measured, const serving::SloSpec& slo);

// addTable() with the primary figure of the last point as the main one, and the slowest requests.
// Notes where a short warm-up distorts figures: a system that is not full when the window begins
// produces fewer tokens in it than later.
void addSteadyTable(const Design& design, const std::vector<Measured>& measured,
                    const std::vector<Figure>& figures, results::Table heading,
                    ResultBuilder& builder);

}  // namespace plumbline::suite
