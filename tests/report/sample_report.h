// A report like that of a run over three tests: the values are invented but of realistic size, with
// all elements that a report can contain.
#pragma once

#include "report/report.h"

namespace plumbline::report::testing {

ReportInput sampleReport();

// A distribution of `frames` latencies [ps]: a floor, an exponential tail of mean `tail`, and one
// frame in a thousand late by ten times that.
results::Distribution sampleDistribution(const std::string& title, std::uint64_t floor,
                                         std::uint64_t tail, std::uint64_t frames);

}  // namespace plumbline::report::testing
