// Where the keys of a scenario stand in its file.
#pragma once

#include <algorithm>
#include <string_view>
#include <utility>

#include "scenario/quantity.h"
#include "scenario/yaml_tree.h"

namespace plumbline::scenario {

// Does not own the tree.
class KeyPlaces {
 public:
  explicit KeyPlaces(const YamlNode& root) : root_(root) {}

  // "dut.switch.ecn.0.kmin": the value of that key, or of the deepest existing one on its path. A
  // number is an item of a list, or the value itself if it represents a list of one.
  [[nodiscard]] const YamlNode& at(std::string_view path) const { return find(path).first; }
  [[nodiscard]] bool has(std::string_view path) const { return find(path).second; }

 private:
  [[nodiscard]] std::pair<const YamlNode&, bool> find(std::string_view path) const;

  const YamlNode& root_;
};

}  // namespace plumbline::scenario
