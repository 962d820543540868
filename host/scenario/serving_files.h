// Files of `serving:`: measured step times, and a trace of requests.
#pragma once

#include "scenario/scenario.h"
#include "scenario/spec_reader.h"

namespace plumbline::scenario {

// Reads the keys `times` and `trace` of the section that `map` reads, and the files that they name,
// which the scenario may read (scenario/access.h). A mistake in a file is reported at the key that
// names it, with the file's own line and column. With a trace, arrivals, prompts and answers that
// the section does not give come from the trace. For a stored scenario they are replaced by a table
// of one step and a trace of two requests.
void readServingFiles(SpecReader& map, ServingSection& section, Scenario& scenario,
                      Problems& problems);

}  // namespace plumbline::scenario
