// The requests of a run as a table, a line each: what happened to each of them, when and where.
#pragma once

#include <ostream>

#include "serving/mapping.h"
#include "serving/serving_result.h"

namespace plumbline::serving {

// CSV with a first line of column names. Times in microseconds from the start of the run with six
// decimals, so exact to the picosecond; empty where it did not come to that. `prefill_nics` and
// `decode_nics` are those that the request's KV cache used the last time, separated by blanks,
// `ranks` its flows as prefill rank>decode rank; empty for a request without KV transfer.
void writeRequestCsv(std::ostream& out, const ServingResult& result, const Mapping& mapping);

}  // namespace plumbline::serving
