// SPDX-License-Identifier: GPL-3.0-or-later
// A figure of two runs side by side, judged as `plumbline results diff` judges it.
#pragma once

#include <string>

#include "gui/data/stored_run.h"

namespace plumbline::gui {

struct FigureChange {
  std::string change;        // "+3.2 %", "same", "from zero"
  std::string significance;  // "significant (p = 0.003)", "not testable"
  bool significant = false;  // beyond what the repetitions scatter
};

// From `first` to `second`, which have the same unit.
FigureChange changeOf(const StoredQuantity& first, const StoredQuantity& second);

}  // namespace plumbline::gui
