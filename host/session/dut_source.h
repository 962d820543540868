// Reads the metrics that a DUT reports, from the source in a scenario's `dut_metrics`.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/units.h"
#include "scenario/scenario.h"

namespace plumbline::session {

// Longest text that is accepted from a program or a file.
inline constexpr std::size_t kMaxDutReport = std::size_t{16} << 20;
// How long a program may take.
inline constexpr std::chrono::seconds kMaxDutTime{30};

// The text of the source's file, or the output of its program. The program is found in PATH, runs
// in the folder of the scenario's file, has the soak's time in whole seconds in PLUMBLINE_TIME_S,
// and writes errors to plumbline's own stderr. On failure (no such file or program, an exit code
// other than 0, no end within `most`, too much text), the text is a comment with the reason, so
// that a soak of a day continues.
//
// The scenario has a `dut_metrics`. Permitted names were checked when it was read
// (scenario/access.h); a file is opened under the same rules.
std::string queryDutMetrics(const scenario::Scenario& scenario, std::optional<Picoseconds> time,
                            std::chrono::milliseconds max = kMaxDutTime);

}  // namespace plumbline::session
