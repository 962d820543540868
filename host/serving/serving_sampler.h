// Gathers the samples of a run of the serving model.
#pragma once

#include <array>
#include <vector>

#include "serving/kv_cache.h"
#include "serving/serving_sample.h"

namespace plumbline::serving {

// The pages in use of a pool over time.
class PoolWatch {
 public:
  // From `before` to `now` pages in use of one of its workers.
  void changed(std::uint64_t before, std::uint64_t after, Picoseconds now);
  // The values up to `now`, the beginning of the next sample.
  PoolPages take(Picoseconds now);

 private:
  void count(Picoseconds now);

  PoolPages pages_;
  Picoseconds since_;
};

// Collects events between two samples.
class ServingSampler {
 public:
  void token() { ++next_.tokens; }
  void gap(Picoseconds gap, std::uint64_t count = 1) {
    next_.gaps.record(static_cast<std::uint64_t>(gap.count()), count);
  }
  PoolWatch& prefill() { return prefill_; }
  PoolWatch& decode() { return decode_; }

  // The sample of `now`, without values that only the model has; `stages`: integrals of the run so
  // far.
  ServingSample take(Picoseconds now, const std::array<Int128, kStages>& stages);

 private:
  ServingSample next_;
  PoolWatch prefill_;
  PoolWatch decode_;
  std::array<Int128, kStages> stages_{};  // at the last sample
};

}  // namespace plumbline::serving
