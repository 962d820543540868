// The requests of a run as a table, one line each: events, times and workers.
#pragma once

#include <ostream>
#include <string>

#include "serving/mapping.h"
#include "serving/serving_result.h"
#include "serving/slo.h"

namespace plumbline::serving {

// The columns' names, without the end of the line.
std::string requestCsvHeader();

// A line of CSV for each request, after the prefix `front`. Times in microseconds from the start of
// the run with six decimals, so exact to the picosecond; empty if not reached. `prefill_nics` and
// `decode_nics` are those of the request's last KV transfer, separated by blanks, `ranks` its flows
// as prefill rank>decode rank; empty for a request without KV transfer. `within_limits`: it is done
// and met `slo`.
void writeRequestCsv(std::ostream& out, const ServingResult& result, const Mapping& mapping,
                     const SloSpec& slo, const std::string& front = {});

}  // namespace plumbline::serving
