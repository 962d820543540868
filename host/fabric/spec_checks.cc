#include "fabric/spec_checks.h"

#include <fmt/format.h>

#include "base/error.h"

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
  refuse(fmt::format("{} bytes is out of range", value.count()), field,
         fmt::format("{} to {} bytes", low.count(), high.count()));
}

void checkTime(Picoseconds value, Picoseconds low, Picoseconds high, const std::string& field) {
  if (value >= low && value <= high) return;
  refuse(fmt::format("{} ps is out of range", value.count()), field,
         fmt::format("{} to {} ps", low.count(), high.count()));
}

void checkDelay(Picoseconds value, const std::string& field) {
  checkTime(value, Picoseconds(1), kMaxDelay, field);
}

void checkPriorities(std::uint8_t mask, const std::string& field) {
  if (mask == 0) refuse("names no priority", field, "a bit for each of at least one priority");
}

}  // namespace plumbline::fabric
