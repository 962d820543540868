// SPDX-License-Identifier: GPL-3.0-or-later
// Serving systems in stored results: figures of each point of a sweep, and single requests, read
// from the raw data "requests".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/data/live_served.h"
#include "gui/data/stored_run.h"

namespace plumbline::gui {

// Times count from the start of the run [s]; absent if not reached.
struct StoredRequest {
  bool measured = false;  // arrived in the measuring window
  bool failed = false;    // its KV cache was lost, or its prompt can never fit
  double arrival = 0;
  std::optional<double> routed;
  std::optional<double> prefill_start;
  std::optional<double> prefill_end;
  std::optional<double> last_arrival;  // of KV cache
  std::optional<double> decode_start;
  std::optional<double> first_token;
  std::optional<double> done;
  std::uint32_t generated = 0;  // tokens
  std::optional<std::uint32_t> prefill_worker;
  std::optional<std::uint32_t> decode_worker;
  std::optional<bool> within_limits;  // absent in results without it
};

// The requests of one trial, in the order of arrival.
struct StoredTrialRequests {
  std::string point;  // "Rate 18.6, Ratio 1P11D"
  std::string repetition;
  std::vector<StoredRequest> requests;
};

// By point and repetition, in their order. Invalid lines are left out.
std::vector<StoredTrialRequests> storedRequests(const StoredTest& test);

// The last time in the requests of a trial [s]; 0 for none.
double lastTime(const std::vector<StoredRequest>& requests);

// Parts of the time to the first token [s]; nothing for a request without one. If a request was
// preempted before its first token, all time after its first KV transfer is its last part.
std::optional<TtftParts> ttftParts(const StoredRequest& request);

// Over the time of a trial [s], as LiveServed has them; of all requests, the warm-up's included.
std::array<ServedCurve, kTtftParts> ttftParts(const std::vector<StoredRequest>& requests);
struct StoredRates {
  std::optional<ServedCurve> good_tokens;  // per second; nothing if the result lacks it
  std::optional<ServedCurve> good_requests;
};
StoredRates goodRates(const std::vector<StoredRequest>& requests);
// Mean time per further token [ms] of the answers that ended in a stretch: their median, and the
// largest.
struct StoredTpot {
  ServedCurve median;
  ServedCurve largest;
};
StoredTpot timePerToken(const std::vector<StoredRequest>& requests);

// Requests in the queue of each worker of a pool over time: a staircase.
struct WorkerQueue {
  std::uint32_t worker = 0;
  std::vector<double> x;  // [s]
  std::vector<double> y;
  double mean = 0;  // over the time of the trial
  double max = 0;
};
// Requests that wait before their first step there, by worker; the whole pool as one with
// `together`.
std::vector<WorkerQueue> queuesOf(const std::vector<StoredRequest>& requests, bool decode,
                                  bool together);

// A row for each point with figures of a serving system.
struct ServedFigures {
  std::string point;
  std::vector<const StoredQuantity*> values;  // by servedFigureNames(); null: the result lacks it
};
struct ServedFigureName {
  const char* kpi;
  const char* heading;  // with unit
};
const std::vector<ServedFigureName>& servedFigureNames();
std::vector<ServedFigures> servedFigures(const StoredTest& test);

// KV cache of each worker: the table "workers" of a point (its first columns), and charts of pages
// over the time of a soak.
struct StoredWorker {
  std::string point;
  std::string worker;          // "prefill 0"
  std::optional<double> mean;  // [% of its pages]
  std::optional<double> max;
};
std::vector<StoredWorker> storedWorkers(const StoredTest& test);
const StoredChart* pagesOverTime(const StoredTest& test);

// Whether the test ran a serving system.
bool isServed(const StoredTest& test);

}  // namespace plumbline::gui
