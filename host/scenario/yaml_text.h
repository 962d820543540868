// A YamlNode tree as text, for writing a point of a sweep as a scenario file of its own.
#pragma once

#include <string>

#include "scenario/yaml_tree.h"

namespace plumbline::scenario {

// The tree as a YAML document in block style. parseYaml() makes the same tree of it, except for
// places and for the `quoted` of nodes that are neither word nor number. Ends with a newline.
std::string yamlText(const YamlNode& root);

// The tree on one line, for labels: 64KB, [1, 4], {kind: switch, hosts: 4}. Without quotes.
std::string yamlLine(const YamlNode& node);

// Whether both have the same contents, at any place.
bool sameYaml(const YamlNode& a, const YamlNode& b);

}  // namespace plumbline::scenario
