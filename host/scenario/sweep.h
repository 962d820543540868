// A scenario with a `sweep` section, which names keys of the file and the values of each; every
// combination is a point, a scenario of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/parse.h"
#include "scenario/scenario.h"
#include "scenario/yaml_tree.h"

namespace plumbline::scenario {

inline constexpr std::size_t kMaxSweepAxes = 8;
inline constexpr std::size_t kMaxSweepValues = 1000;
// The default limit of a Slurm job array.
inline constexpr std::size_t kMaxSweepPoints = 1000;

class Sweep {
 public:
  // For the text of a file whose scenario has a `sweep` section. Throws Error(kUsage) for any
  // other. `file` is for messages, and traces are looked for beside it.
  Sweep(std::string_view text, std::string file);

  [[nodiscard]] const std::vector<SweepAxis>& axes() const { return axes_; }
  [[nodiscard]] std::size_t size() const;  // points

  // The values of a point, one for each axis, as the file has them. Points count from 0; the last
  // axis changes fastest.
  [[nodiscard]] std::vector<std::string> values(std::size_t point) const;
  // "buffer 64KB, qps 4": values after the last words of their keys, or after the whole keys where
  // two of them end alike.
  [[nodiscard]] std::string label(std::size_t point) const;

  // The point as a scenario. Its text is a file of its own, which has the same meaning in the
  // folder of the sweep's file. Throws Error(kUsage) that lists its problems, by their places in
  // the sweep's file.
  [[nodiscard]] Scenario scenario(std::size_t point, const Vocabulary& vocabulary) const;

 private:
  YamlNode root_;
  std::string file_;
  std::vector<SweepAxis> axes_;
};

}  // namespace plumbline::scenario
