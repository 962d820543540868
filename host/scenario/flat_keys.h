// A scenario as the list of its keys, for comparisons independent of order, comments and layout of
// the files.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumbline::scenario {

// Every key with its value as the file writes it, in the order of the file: "dut.switch.ecn.kmin"
// and "200KB". A list of values is one value, "[1, 2]"; maps in a list are identified by their
// `name`, "workload[incast].size", or else by their number, "dut.links[0].rate"; a single one needs
// neither. An empty map is "{}". Keys that have their default are not included. Empty for invalid
// text.
std::vector<std::pair<std::string, std::string>> flatKeys(std::string_view text);

}  // namespace plumbline::scenario
