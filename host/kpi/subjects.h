// The declarations by subject, and helpers for writing them.
#pragma once

#include <string>
#include <vector>

#include "kpi/kpi.h"

namespace plumbline::kpi {

using Declarations = std::vector<Declaration>;

Declarations timeFigures();
Declarations rateFigures();
Declarations congestionFigures();
Declarations servingFigures();
Declarations soakFigures();
Declarations cardFigures();
Declarations expertFigures();

// A unit, and the range of figures in it.
struct Scale {
  const char* unit;
  double max;
  double min = 0;
};
inline constexpr Scale kNanoseconds{"ns", 1e12};
inline constexpr Scale kMicroseconds{"us", 1e12};
inline constexpr Scale kMilliseconds{"ms", 1e12};
inline constexpr Scale kGigabytesPerSecond{"GB/s", 1e6};
inline constexpr Scale kGigabitsPerSecond{"Gb/s", 1e6};
inline constexpr Scale kShare{"%", 100};
inline constexpr Scale kExcess{"%", 1e6};          // a percentage that may be above 100
inline constexpr Scale kChange{"%", 1e6, -1e6};    // may be a loss
inline constexpr Scale kGrowth{"%", 1e6, -100};    // to another figure from this one
inline constexpr Scale kDecrease{"%", 100, -1e6};  // may be an increase
inline constexpr Scale kMicrosecondsLess{"us", 1e12, -1e12};
inline constexpr Scale kMillisecondsLess{"ms", 1e12, -1e12};
inline constexpr Scale kPartsPerMillion{"ppm", 1e6};
inline constexpr Scale kAnyPartsPerMillion{"ppm", 1e12};  // of another number of packets
inline constexpr Scale kPerSecond{"/s", 1e12};
inline constexpr Scale kTokensPerSecond{"tokens/s", 1e12};
inline constexpr Scale kPacketsPerSecond{"packets/s", 1e12};
inline constexpr Scale kBytes{"B", 1e15};
inline constexpr Scale kCount{"", 1e15};
inline constexpr Scale kFrames{"frames", 1e15};
inline constexpr Scale kPackets{"packets", 1e15};
inline constexpr Scale kEvents{"events", 1e15};
inline constexpr Scale kBurst{"frames", 16'777'216};
inline constexpr Scale kFairness{"", 1};
inline constexpr Scale kHidden{"", 1, -1e6};  // nothing is, and more time than computed was needed
inline constexpr Scale kRatio{"", 1e6};
inline constexpr Scale kLargestOverMean{"", 1e6, 1};

inline Declaration figure(std::string name, Better better, const Scale& scale,
                          std::string meaning) {
  return {std::move(name), scale.unit, better, scale.min, scale.max, std::move(meaning)};
}
inline Declaration more(std::string name, const Scale& scale, std::string meaning) {
  return figure(std::move(name), Better::kMore, scale, std::move(meaning));
}
inline Declaration less(std::string name, const Scale& scale, std::string meaning) {
  return figure(std::move(name), Better::kLess, scale, std::move(meaning));
}
// `declaration`, whose figure is a ratio of times or rates.
inline Declaration ofTimes(Declaration declaration) {
  declaration.basis = Basis::kTimes;
  return declaration;
}
// `declaration`, whose figure compares the clocks of ports.
inline Declaration acrossClocks(Declaration declaration) {
  declaration.basis = Basis::kTimeAcross;
  return declaration;
}
// `declaration`, whose figure is the time from a sending port to a receiving one.
inline Declaration oneWay(Declaration declaration) {
  declaration.basis = Basis::kTimeOneWay;
  return declaration;
}
inline Declaration neither(std::string name, const Scale& scale, std::string meaning) {
  return figure(std::move(name), Better::kNeither, scale, std::move(meaning));
}

}  // namespace plumbline::kpi
