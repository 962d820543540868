// A scenario as the list of its keys, so that two of them can be compared whatever the order,
// comments and layout of their files.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::scenario {

// Every key with its value as the file writes it, in the order of the file: "dut.switch.ecn.kmin"
// and "200KB". A list of values is one value, "[1, 2]"; maps in a list go by their `name`,
// "workload[incast].size", or else by their number, "dut.links[0].rate"; one alone needs neither.
// An empty map is "{}". Keys that the file leaves to their default are not in it. Empty for text
// that is no scenario.
std::vector<std::pair<std::string, std::string>> flatKeys(std::string_view text);

}  // namespace plumbline::scenario
