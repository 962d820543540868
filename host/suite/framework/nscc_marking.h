// Switches whose ECN marking NSCC cannot use: an anomaly of any test's result.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/trial/trial.h"
#include "results/test_result.h"

namespace plumbline::suite {

// NSCC takes bytes from its window for marked packets whose queueing delay is above a target, and
// adds some for packets above the target without a mark (docs/model/uet.md). Where switches begin
// to mark at a longer queue than the target's, windows may grow until packets are trimmed or
// dropped. The target's queue is that at the rate of the port with the longest queue. Whether the
// windows had grown is not observed: first windows that meet on one link trim packets as well.
//
// Collects such trials of a test.
class NsccMarking {
 public:
  // A trial on a simulated DUT, over UET with NSCC, in which packets were trimmed or found a full
  // queue. `where` names it.
  void add(const bench::TrialSpec& spec, const bench::TrialResult& trial, const std::string& where);

  // The target, where marking begins, and the largest share of the data that was trimmed or
  // dropped; nothing without such trials.
  [[nodiscard]] std::optional<results::Anomaly> anomaly() const;

 private:
  std::string marking_;  // of the trial with the largest share
  double share_ = 0;     // [%]
  std::uint64_t trials_ = 0;
  std::string where_;
};

}  // namespace plumbline::suite
