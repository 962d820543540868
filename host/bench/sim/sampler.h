// Takes the samples of a trial while it runs.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "bench/sim/sim_hosts.h"
#include "bench/trial/samples.h"
#include "fabric/engine/fabric.h"
#include "fabric/engine/observer.h"

namespace plumbline::bench {

// Does not change the run: it counts port events as an observer, because reading the counters of
// ports during a run would finish pending work.
class Sampler final : public fabric::Observer {
 public:
  Sampler(const SamplingSpec& spec, const fabric::Topology& topology) : topology_(topology) {
    taken_.interval = spec.interval;
    losses_from_ = spec.losses_from;
  }

  [[nodiscard]] std::uint32_t interests() const override;
  void onRecord(const fabric::Record& record) override;

  // When the next sample is due.
  [[nodiscard]] Picoseconds due() const {
    return taken_.interval * (static_cast<std::int64_t>(taken_.samples.size()) + 1);
  }
  // Takes the sample; the fabric has run until due().
  void take(const SimHosts& hosts);
  // All samples; the trial ended at `end`.
  Samples finish(Picoseconds end);

 private:
  void close(fabric::LinkId link, std::uint8_t priority, Picoseconds from, Picoseconds until);

  const fabric::Topology& topology_;
  Picoseconds losses_from_;
  Samples taken_;
  Sample totals_;  // without pauses that are still open
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::size_t> places_;
  std::map<std::pair<fabric::LinkId, std::uint8_t>, Picoseconds> pausing_;  // since when
};

}  // namespace plumbline::bench
