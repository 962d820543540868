// Measured quantities as people read them, for report and terminal alike: in a unit that fits, with
// the digits they deserve. Programs get every digit instead: exactNumber().
//
// Unit: a value of 1 to 9,999 keeps the unit it was given; others take the multiple that fits
// ("2.16 s" for 2,159,660 us, "77.2 Mframes/s"). Bytes that are a whole number of KiB or MiB and no
// short number of kB or MB are given in these ("1 MiB").
// Digits: measuredDecimals(), and where the uncertainty is known, the places that it decides (GUM
// 7.2.6): it gets one significant digit, or two where the first is 1 or where they stand before the
// point, and the value the same places. Where only the systematic part is known, no more places
// than that decides. Numbers of things ("12,345 frames") keep all their digits. A percentage that
// is not 100 never reads "100", unless its uncertainty leaves no digit to tell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/test_result.h"
#include "results/units.h"

namespace plumbline::results {

// What a "±" shows: the expanded uncertainty; where the systematic part of it is not known, half
// the statistical confidence interval. Nothing where neither is known or both are zero.
std::optional<double> halfInterval(const Quantity& quantity);

// "*" behind a percentile that rests on too few samples, else empty.
std::string markOf(const Quantity& quantity);

struct QuantityText {
  std::string number;  // "2.16"
  // halfInterval() in the same unit and places: "0.03"; empty where it would be zero in these.
  std::string spread;
  std::string unit;    // "s"; empty for a plain number
  std::string mark{};  // markOf()
};

QuantityText quantityParts(const Quantity& quantity);
// "2.16 s"
std::string quantityText(const Quantity& quantity);
// "2.16 ± 0.03 s"; as quantityText() where there is no spread.
std::string quantityWithSpread(const Quantity& quantity);
// The bounds of the statistical interval, unless it has no width, in the unit and places of the
// value: "2.13", "2.19", "s".
struct IntervalText {
  std::string low;
  std::string high;
  std::string unit;
};
std::optional<IntervalText> intervalParts(const Quantity& quantity);
// "2.13 to 2.19 s"; empty without an interval.
std::string intervalText(const Quantity& quantity);

// What the quantities of a column have in common.
struct ColumnFormat {
  bool numeric = false;     // there are quantities in it
  bool common_unit = true;  // of one unit: it stands in the head and not in the cells
  std::string own_unit;     // the unit they were given in, if that is one
  ScaledUnit unit;          // the one they are shown in
  int decimals = 0;
};

// A format for each column of `table`. Columns of one unit share multiple and decimals where their
// values are close enough to be read side by side (a ratio of 10,000 at most). Whole numbers below
// 100,000 keep the unit they have, and so does a column under a machine name ("job_time_us").
std::vector<ColumnFormat> columnFormats(const Table& table);

// A cell in its column's format; `unit` is empty where the head says it.
QuantityText cellParts(const Quantity& quantity, const ColumnFormat& format);

// The column's name without its unit, and the unit that it is shown in: "P99 latency", "µs". The
// unit is empty if the column has none in common.
LabelledUnit columnHead(const std::string& name, const ColumnFormat& format);

}  // namespace plumbline::results
