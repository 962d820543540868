// Tables of a test result as HTML. Numbers are as results/quantity_text.h has them; the exact
// value, in the unit in which it was measured, is the machine-readable value of its <data> element,
// and stands in the title where the text is shorter.
#pragma once

#include <string>
#include <vector>

#include "base/observation_point.h"
#include "report/report.h"
#include "results/test_result.h"

namespace plumbline::report {

// "Tester (at the DUT's ports)" and so on: the observation points in words.
std::string observationPointText(ObservationPoint point);

// A quantity by itself: number and unit.
std::string quantityHtml(const results::Quantity& quantity);
// The same with ± its uncertainty (results::halfInterval()), if that is known.
std::string quantityWithSpreadHtml(const results::Quantity& quantity);
// "1,200.3 to 1,268.8 ns", or why there is no interval: results::statisticsText().
std::string intervalHtml(const results::Quantity& quantity);
// The CV in percent, marked when it is above 5 %, or a dash: without scatter there is none.
std::string cvHtml(const results::Quantity& quantity);

// A column of quantities shows its common unit in the head, equal decimals, and ± the
// uncertainty where it is known. Under the table: its note and where the values were
// observed (marked cell by cell if that differs). Tables too wide for a page come in parts; see
// readableParts().
//
// Where the table shows the first rows only, a line below says so and names `csv_file`, which has
// all of them.
std::string tableHtml(const results::Table& table, const std::string& csv_file = {});

// Two columns of names and values; empty text if there are none.
std::string keyValuesHtml(const KeyValues& pairs);

}  // namespace plumbline::report
