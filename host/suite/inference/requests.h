// Single requests of a serving test: tables of the actual load, of the slowest requests and of the
// workers, all requests as raw data, and the source of step times.
#pragma once

#include <span>
#include <vector>

#include "suite/framework/figures.h"

namespace plumbline::suite {

// Adds all of these.
void addRequests(const Design& design, std::span<const Measured> measured, ResultBuilder& builder);

// Adds the raw data alone: every request of every trial, a line each (serving/request_csv.h); and
// anomalies that affect the figures: steps more than 10 % outside a table of step times, windows
// without requests, and refused requests.
void addRequestData(const Design& design, std::span<const Measured> measured,
                    ResultBuilder& builder);

}  // namespace plumbline::suite
