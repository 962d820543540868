// SPDX-License-Identifier: GPL-3.0-or-later
// A figure of two runs side by side, judged as `plumbline results diff` judges it.
#pragma once

#include <string>

#include "gui/data/stored_run.h"
#include "results/test_result.h"

namespace plumbline::gui {

struct FigureChange {
  std::string change;        // "+3.2 %", "same", "from zero"
  std::string significance;  // "significant (p = 0.003)", "not testable"
  bool significant = false;  // beyond the scatter of the repetitions
};

// The quantity in the form of the results library, for its texts and tests.
results::Quantity resultsQuantity(const StoredQuantity& stored);

// From `first` to `second`, which have the same unit.
FigureChange changeOf(const StoredQuantity& first, const StoredQuantity& second);

}  // namespace plumbline::gui
