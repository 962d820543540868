#include "fabric/spec/spec_checks.h"

#include <fmt/format.h>

#include "base/error.h"
#include "spec/field.h"

namespace plumbline::fabric {

void refuse(const std::string& what, const std::string& field, const std::string& allowed) {
  throw Error(ErrorKind::kUsage, what, field, "allowed: " + allowed);
}

void checkCount(std::int64_t value, std::int64_t low, std::int64_t high, const std::string& field) {
  if (value >= low && value <= high) return;
  refuse(fmt::format("{} is out of range", value), field, fmt::format("{} to {}", low, high));
}

void checkBytes(Bytes value, Bytes low, Bytes high, const std::string& field) {
  if (value >= low && value <= high) return;
  refuse(fmt::format("{} is out of range", spec::sizeText(value.count())), field,
         fmt::format("{} to {}", spec::sizeText(low.count()), spec::sizeText(high.count())));
}

void checkTime(Picoseconds value, Picoseconds low, Picoseconds high, const std::string& field) {
  if (value >= low && value <= high) return;
  refuse(fmt::format("{} is out of range", spec::timeText(value.count())), field,
         fmt::format("{} to {}", spec::timeText(low.count()), spec::timeText(high.count())));
}

}  // namespace plumbline::fabric
