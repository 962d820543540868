// Measured quantities as text for report and terminal: in a suitable unit, with significant digits.
// For programs with every digit: exactNumber().
//
// Unit: a value of 1 to 9,999 keeps its unit; others take a suitable multiple ("2.16 s" for
// 2,159,660 us, "77.2 Mframes/s"). Bytes that are a whole number of KiB or MiB and no short number
// of kB or MB use these ("1 MiB"). Digits: measuredDecimals(); where the uncertainty is known, its
// places (GUM 7.2.6): it gets one significant digit, or two where the first is 1 or where they
// stand before the point, and the value the same places. Where only the systematic part is known,
// it limits the places. Counts ("12,345 frames") keep all their digits. A percentage that is not
// 100 is never rounded to "100", unless its uncertainty requires it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/test_result.h"
#include "results/units.h"

namespace plumbline::results {

// "*" for a percentile that rests on too few samples, else empty.
std::string markOf(const Quantity& quantity);

struct QuantityText {
  std::string number;  // "2.16"
  // reachOf() in the same unit and places: "± 0.03", or "+0 −0.03" where it is shorter on one side;
  // empty where it would be rounded to zero.
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

// Common format of the quantities of a column.
struct ColumnFormat {
  bool numeric = false;     // there are quantities in it
  bool common_unit = true;  // all of one unit: it is shown in the head and not in the cells
  std::string own_unit;     // their common original unit
  ScaledUnit unit;          // the unit in which they are shown
  int decimals = 0;
};

// A format for each column of `table`. Columns of one unit share multiple and decimals where their
// values are close enough to be compared (a ratio of 10,000 at most). Whole numbers below 100,000
// keep their unit, and so does a column under a machine name ("job_time_us").
std::vector<ColumnFormat> columnFormats(const Table& table);

// A cell in its column's format; `unit` is empty where the head shows it.
QuantityText cellParts(const Quantity& quantity, const ColumnFormat& format);

// The column's name without its unit, and the unit in which it is shown: "P99 latency", "µs". The
// unit is empty if the column has no common one.
LabelledUnit columnHead(const std::string& name, const ColumnFormat& format);

}  // namespace plumbline::results
