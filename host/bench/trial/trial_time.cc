#include "bench/trial/trial_time.h"

#include <fmt/format.h>

#include "base/latest_time.h"
#include "workload/own_time.h"

namespace plumbline::bench {

std::optional<std::string> timeRefusalOf(const TrialSpec& spec) {
  if (!spec.workload || spec.duration > Picoseconds(0)) return std::nullopt;
  for (const workload::JobSpec& job : spec.workload->jobs) {
    if (workload::isEndless(job)) continue;  // refused because it needs a duration
    const double own = workload::ownSeconds(job);
    if (own <= kLatestTime.toSeconds()) continue;
    return fmt::format(
        "job '{}' may last {:.3g} s, and a trial without a duration at most {:.0f} s: fewer or "
        "shorter iterations, intervals or phases, or a duration",
        job.name, own, kLatestTime.toSeconds());
  }
  return std::nullopt;
}

}  // namespace plumbline::bench
