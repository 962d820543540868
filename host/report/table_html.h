// Tables of a test result as HTML. Numbers are formatted by results/quantity_text.h; the exact
// value, in its original unit, is the machine-readable value of the <data> element, and its title
// where the text is shorter.
#pragma once

#include <string>
#include <vector>

#include "base/observation_point.h"
#include "report/report.h"
#include "results/test_result.h"

namespace plumbline::report {

// "Tester (at the DUT's ports)" and so on: the observation points in words.
std::string observationPointText(ObservationPoint point);

// A single quantity: number and unit.
std::string quantityHtml(const results::Quantity& quantity);
// The same with ± its uncertainty (results::reachOf()), if that is known.
std::string quantityWithSpreadHtml(const results::Quantity& quantity);
// "1,200.3 to 1,268.8 ns", or why there is no interval: results::statisticsText().
std::string intervalHtml(const results::Quantity& quantity);
// The CV in percent, marked when it is above 5 %, or a dash without scatter.
std::string cvHtml(const results::Quantity& quantity);

// A column of quantities has its common unit in the head, equal decimals, and ± the uncertainty
// where it is known. Below the table: its note and the observation points (marked cell by cell if
// they differ). Tables too wide for a page are split; see readableParts().
//
// Where the table shows the first rows only, a line below names `csv_file`, which has all of them.
std::string tableHtml(const results::Table& table, const std::string& csv_file = {});

// Two columns of names and values; empty text if there are none.
std::string keyValuesHtml(const KeyValues& pairs);

}  // namespace plumbline::report
