// When flows that share a bottleneck reach fair shares and keep them: the settling time of control
// engineering, from the samples of a trial.
//
// The rate of a flow is its mean over a window of some samples; a window begins at every sample, so
// windows overlap. A window is fair when the rate of every flow is within the tolerance of the fair
// share, which is the mean rate of all flows in that window. Flows have settled at the beginning of
// the first window after which all windows are fair until the end of the span, provided that the
// rest of the span is at least as long as the rule's number of consecutive windows. So crossing
// rates, alternating fairness and a few fair windows at the end do not count as convergence.
// Changes faster than a window are not seen: the window must be longer than packets, and than the
// steps of a congestion control.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/units.h"
#include "bench/trial/samples.h"

namespace plumbline::suite {

struct ConvergenceRule {
  double tolerance = 0.10;         // of the fair share
  std::uint32_t window = 5;        // samples per rate
  std::uint32_t windows_held = 5;  // windows that the span must still hold when flows have settled
};

// The part of a trial that is evaluated.
struct SharingSpan {
  std::size_t flows = 0;  // number of flows at the bottleneck; fairness needs all of them
  Picoseconds from;       // windows that begin earlier are ignored: when the last flow joined
  Picoseconds until;      // windows that end later are ignored: when the first flow may be done
};

struct Convergence {
  // From SharingSpan::from until the flows had settled; nothing if they never did.
  std::optional<Picoseconds> settled;
  // Share of the span's windows that are fair, 0 to 1; nothing without a window.
  std::optional<double> fair_share_of_windows;
};

Convergence convergenceOf(const bench::Samples& samples, const SharingSpan& span,
                          const ConvergenceRule& rule = {});

// Rates of every flow over consecutive windows [Gb/s]: series[flow][window].
std::vector<std::vector<double>> flowRates(const bench::Samples& samples, std::uint32_t window);

}  // namespace plumbline::suite
