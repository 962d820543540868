// Files with a job's traffic: `trace:`, the messages instead of a list of them, and `matrix:`, the
// selection of experts by tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "scenario/scenario.h"
#include "scenario/spec_reader.h"
#include "workload/expert_matrix.h"
#include "workload/workload_spec.h"

namespace plumbline::scenario {

// Bytes of a trace file that are read at most; with a number of requests, the file may be larger.
inline constexpr std::size_t kMaxTraceBytes = std::size_t{1} << 28;

// Opens the table `name` that the scenario names at `node`, if it may be read and has at most
// `most` bytes; otherwise reports a problem, except for a stored scenario, of which no file is
// opened.
std::optional<std::ifstream> openTable(const YamlNode& node, const std::string& name,
                                       const Scenario& scenario, std::uintmax_t max,
                                       Problems& problems);

// Reads the keys of `trace:` and the file that they name, which the scenario may read
// (scenario/access.h). `ranks`: of the job. A mistake in the file is reported at the key that names
// it, with the file's own line and column. Returns the part of the file that was read, if it could
// be. For a stored scenario the trace is replaced by one message.
std::optional<InputFile> readTraceFile(SpecReader& map, const Scenario& scenario,
                                       std::uint32_t ranks, workload::TraceProgram& trace,
                                       Problems& problems);

// The same for the file that `node` names, with the selections of a MoeProgram. For a stored
// scenario, and after a mistake, all numbers are 0.
std::optional<InputFile> readMatrixFile(const YamlNode& node, const Scenario& scenario,
                                        const workload::MatrixRules& rules,
                                        std::vector<std::uint32_t>& matrix, Problems& problems);

}  // namespace plumbline::scenario
