// What a trial on the simulated fabric saw, as pictures of a test result.
#pragma once

#include <string>
#include <vector>

#include "base/units.h"
#include "bench/trial/fabric_result.h"
#include "results/test_result.h"

namespace plumbline::suite {

// Utilisation of the links between switches: a map for each kind of switch that sends and kind that
// receives ("leaf to spine" and "spine to leaf"), kinds being names without their numbers. Switches
// are in the order of their numbers; of parallel cables the mean counts. A pair without a link, or
// with one that carried nothing, is blank. `id` and `title` are those of the first map; the others
// are numbered and named after their kinds as well.
std::vector<results::HeatMap> linkHeatMaps(const std::vector<bench::LinkLoad>& links,
                                           const std::string& id, const std::string& title);

// When ports paused, a lane for each port and priority that did, in the order of port names; at
// most `most_lanes`, those that paused longest, and then a note says so. `end` is the end of the
// trial.
results::Timeline pauseTimeline(const bench::Samples& samples, Picoseconds end,
                                const std::string& id, const std::string& title,
                                std::size_t most_lanes = 40);

}  // namespace plumbline::suite
