// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace plumbline::gui {

// docs/scenario.schema.json, as it was when the program was built.
std::string_view embeddedSchema();

}  // namespace plumbline::gui
