// links: plumbline_gui_data
// Any file may be opened as a result: it is one, or there is a sentence on why not.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "gui/data/collective.h"
#include "gui/data/curves.h"
#include "gui/data/stored_run.h"
#include "gui/data/stored_served.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace plumbline::gui;
  const StoredRunResult result = parseStoredRun({reinterpret_cast<const char*>(data), size});
  if (result.run.has_value() == !result.error.empty()) __builtin_trap();
  if (!result.run) return 0;
  for (const StoredTest& test : result.run->tests) {
    collectivePoints(test);
    servedFigures(test);
    storedWorkers(test);
    for (const StoredTrialRequests& trial : storedRequests(test)) {
      const auto parts = ttftParts(trial.requests);
      if (parts[0].x.size() != parts[0].y.size()) __builtin_trap();
      goodRates(trial.requests);
      timePerToken(trial.requests);
      for (const bool decode : {false, true}) queuesOf(trial.requests, decode, false);
    }
    for (const StoredDistribution& one : test.distributions) {
      const Curve curve = cdfCurve(one.histogram);
      if (curve.x.size() != curve.y.size()) __builtin_trap();
      histogramCurve(one.histogram, 100);
    }
  }
  return 0;
}
