// What the methodology wants to know of a device under test and of its hosts, and what the report
// was told.
#pragma once

#include <string>

#include "report/report.h"

namespace plumbline::report {

// The section "Device under test": identification of the fabric and of the hosts, and the ASIC's
// features by category. An item is taken from the entry of `identity` with its name or one of its
// other names, whatever the case and with '_' or '-' for spaces; items that nothing was said of are
// "not stated". Entries that are none of the items follow as they are.
std::string identificationHtml(const KeyValues& identity, bool simulated);

}  // namespace plumbline::report
