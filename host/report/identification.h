// What the methodology wants to know of a device under test and of its hosts, and what the report
// was told.
#pragma once

#include <string>

#include "report/report.h"

namespace plumbline::report {

// What a device under test is called, from its vendor, model, ASIC and operating system; empty if
// none of them is stated.
std::string identificationLine(const KeyValues& identity);

// Identification of the fabric and of the hosts, and the ASIC's features by category. An item is
// taken from the entry of `identity` with its name or one of its other names, whatever the case and
// with '_' or '-' for spaces; those that nothing was said of are named in one line. Entries that
// are none of the items follow as they are.
std::string identificationHtml(const KeyValues& identity, bool simulated);

}  // namespace plumbline::report
