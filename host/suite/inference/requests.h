// What single requests of a serving test were and did: tables of the load as it came, of the
// slowest requests and of the workers, all requests as raw data, and what their steps rest on.
#pragma once

#include <span>
#include <vector>

#include "suite/framework/figures.h"

namespace plumbline::suite {

// All of these.
void addRequests(const Design& design, std::span<const Measured> measured, ResultBuilder& builder);

// Raw data alone: every request of every trial, a line each (serving/request_csv.h); and what
// spoils figures of them as anomalies: steps more than 10 % outside a table of step times, windows
// without requests, and requests that were refused.
void addRequestData(const Design& design, std::span<const Measured> measured,
                    ResultBuilder& builder);

}  // namespace plumbline::suite
