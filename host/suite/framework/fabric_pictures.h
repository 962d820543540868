// Charts of a trial on the simulated fabric for a test result.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "bench/trial/fabric_result.h"
#include "results/test_result.h"

namespace plumbline::suite {

// Utilisation of the links between switches: a map for each kind of sending and receiving switch
// ("leaf to spine" and "spine to leaf"), where kinds are names without their numbers. Switches are
// in the order of their numbers; parallel cables show their mean. A pair without a link, or with an
// idle one, is blank. `id` and `title` are those of the first map; the others also have a number
// and their kinds in their names.
std::vector<results::HeatMap> linkHeatMaps(const std::vector<bench::LinkLoad>& links,
                                           const std::string& id, const std::string& title);

// Pauses of ports: a lane for each port and priority with any, in the order of port names; at most
// `max_lanes`, those with the longest pauses, with a note about the others. `end` is the end of
// the trial.
results::Timeline pauseTimeline(const bench::Samples& samples, Picoseconds end,
                                const std::string& id, const std::string& title,
                                std::size_t max_lanes = 40);

}  // namespace plumbline::suite
