// Asks a DUT for its own figures, as a scenario's `dut_metrics` says.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/units.h"
#include "scenario/scenario.h"

namespace plumbline::session {

// Most text that is taken from a program or a file.
inline constexpr std::size_t kMaxDutReport = std::size_t{16} << 20;
// How long a program may take.
inline constexpr std::chrono::seconds kMostDutTime{30};

// The text of the source's file, or what its program prints. The program is found in PATH, runs in
// the folder of the scenario's file, has the soak's time in whole seconds in PLUMBLINE_TIME_S, and
// says on plumbline's own stderr what it has to complain of. When there is no answer (no such file
// or program, an exit code other than 0, no end within `most`, too much text), the text is a
// comment that says why: a soak of a day does not end for that.
//
// The scenario has a `dut_metrics`. What it may name was decided when it was read
// (scenario/access.h); a file is opened under the same rules.
std::string askDut(const scenario::Scenario& scenario, std::optional<Picoseconds> time,
                   std::chrono::milliseconds most = kMostDutTime);

}  // namespace plumbline::session
