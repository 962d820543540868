#include "spec/check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "spec/declare.h"

namespace plumbline::spec {

namespace {
struct Part {
  Bytes size{100};
};
struct Whole {
  std::uint32_t count = 4;
  double share = 0.5;
  std::uint8_t priorities = 1;
  bool has_time = true;
  Picoseconds time = nanoseconds(1);
  std::optional<Part> part;
  std::vector<Part> parts;
};
}  // namespace

template <>
const Fields& fieldsOf<Part>() {
  static const Fields kFields{field<&Part::size>("size", "").in(Bytes(64), Bytes(128))};
  return kFields;
}

template <>
const Fields& fieldsOf<Whole>() {
  static const Fields kFields{
      field<&Whole::count>("count", "").in(4, 64).powerOfTwo().orZero(),
      field<&Whole::share>("share", "").above(0).atMost(1),
      field<&Whole::priorities>("priorities", "").priorities(),
      field<&Whole::time>("time", "")
          .as("when")
          .atLeast(Picoseconds(1))
          .onlyIf("has_time", [](const Whole& one) { return one.has_time; }),
      block<&Whole::part>("part", ""),
      items<&Whole::parts>("parts", ""),
  };
  return kFields;
}

namespace {

// Place and allowed values of the first fault; empty without one.
std::string fault(const Whole& whole) {
  try {
    check(whole, "w");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.where() + " (" + error.remedy() + ")";
  }
  return {};
}

TEST(SpecCheck, NamesTheFieldAndWhatIsAllowed) {
  EXPECT_EQ(fault({}), "");
  Whole whole;
  for (const std::uint32_t good : {0U, 4U, 32U, 64U}) {
    whole.count = good;
    EXPECT_EQ(fault(whole), "") << good;
  }
  for (const std::uint32_t bad : {1U, 2U, 6U, 128U}) {
    whole.count = bad;
    EXPECT_EQ(fault(whole), "w.count (allowed: a power of two, 4 to 64, or 0)") << bad;
  }
}

TEST(SpecCheck, BoundsThatAreNotAllowedThemselvesAndNaN) {
  Whole whole;
  whole.share = 1;
  EXPECT_EQ(fault(whole), "");
  for (const double bad : {0.0, -1.0, 1.5, double{NAN}, double{INFINITY}}) {
    whole.share = bad;
    EXPECT_EQ(fault(whole), "w.share (allowed: above 0, at most 1)") << bad;
  }
}

TEST(SpecCheck, PartsItemsAndWhatDoesNotApply) {
  Whole whole;
  whole.time = Picoseconds(0);
  EXPECT_EQ(fault(whole), "w.when (allowed: 1ps to 1000000s)");
  whole.has_time = false;
  EXPECT_EQ(fault(whole), "");
  whole.parts = {{Bytes(64)}, {Bytes(63)}};
  EXPECT_EQ(fault(whole), "w.parts[1].size (allowed: 64B to 128B)");
  whole.part.emplace().size = Bytes(129);
  EXPECT_EQ(fault(whole), "w.part.size (allowed: 64B to 128B)");
  whole.priorities = 0;
  EXPECT_EQ(fault(whole), "w.priorities (allowed: at least one of the priorities 0 to 7)");
}

}  // namespace
}  // namespace plumbline::spec
