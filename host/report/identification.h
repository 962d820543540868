// The methodology's items about a device under test and its hosts, and their values in the report.
#pragma once

#include <string>

#include "report/report.h"

namespace plumbline::report {

// Name of a device under test, from its vendor, model, ASIC and operating system; empty if none of
// them is stated.
std::string identificationLine(const KeyValues& identity);

// Identification of the fabric and of the hosts, and the ASIC's features by category. An item is
// taken from the entry of `identity` with its name or one of its other names, in any case and with
// '_' or '-' for spaces; missing items are listed in one line. Entries that are none of the items
// follow unchanged.
std::string identificationHtml(const KeyValues& identity, bool simulated);

}  // namespace plumbline::report
