// Health of the links at the tester's ports during a test, for its result: of cards with MACs of
// their own.
#pragma once

#include <cstdint>
#include <map>

#include "bench/trial/trial.h"
#include "results/test_result.h"

namespace plumbline::suite {

// Sums over the trials of a test, by port of the tester.
class LinkHealthSums {
 public:
  void add(const bench::TrialResult& trial);
  // Adds the table `link_health` and, for a link that lost codewords, an anomaly. Nothing without
  // links.
  void report(results::TestResult& result) const;

 private:
  struct Link {
    bool rs_fec = false;
    bool fec_changed = false;
    card::MacCounters counted;
  };

  std::map<std::uint32_t, Link> links_;
};

}  // namespace plumbline::suite
