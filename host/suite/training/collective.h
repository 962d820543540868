// Common parts of the collective tests (T9.1 to T9.4, T6.6, T11.1).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/trial/trial.h"
#include "suite/framework/fabric_procedure.h"
#include "suite/framework/figures.h"
#include "suite/training/balancing.h"
#include "workload/workload_spec.h"

namespace plumbline::suite {

// One point: a collective among `ranks` ranks, with one transport and balancing.
struct CollectivePoint {
  workload::CollectiveKind kind = workload::CollectiveKind::kAllReduce;
  Bytes size;
  std::uint32_t ranks = 2;
  Variant variant;
};

// What the design of a CollectiveProcedure carries.
struct CollectiveRuns {
  std::vector<CollectivePoint> points;
  std::uint32_t iterations = 0;  // of a trial, at most
};

// The algorithm that the tests use: rings, and the linear shift of AlltoAll with at most eight
// peers at a time.
workload::CollectiveSpec collectiveSpec(workload::CollectiveKind kind, Bytes size);
std::string collectiveName(workload::CollectiveKind kind);    // "AllReduce"
std::string collectiveScheme(workload::CollectiveKind kind);  // "ring, algo_factor 2(n-1)/n"

// Ranks sit on one host of every leaf in turn, so that neighbours in rank are on different leaves
// and all of a ring's traffic crosses the spines. On rails and graphs they sit on the hosts in
// their order.
workload::Placement acrossLeaves(const TestConfig& config, std::uint32_t ranks);
// The same in words, for the report.
std::string placementText(const TestConfig& config);

// `iterations` times the collective. Rings of more packets than a run can simulate are
// fast-forwarded, which the report states.
bench::TrialSpec collectiveTrial(const TestConfig& config, const CollectivePoint& point,
                                 std::uint32_t iterations);
// In the profile `standard` (mayEndEarly()): the trial ends when the time of its iterations is
// stationary, and has at most as many iterations as fit into half a minute, but at least three;
// rings whose three iterations take longer are fast-forwarded.
void endCollectiveEarly(const TestConfig& config, const CollectivePoint& point,
                        bench::TrialSpec& spec);
// Approximate number of packets that cross a link in `spec`, such a trial or one derived from it.
double collectiveHops(const TestConfig& config, const CollectivePoint& point,
                      std::uint32_t iterations, const bench::TrialSpec& spec);
// The same for the iterations that the trial is expected to run.
double collectiveHops(const TestConfig& config, const CollectivePoint& point,
                      const bench::TrialSpec& spec);
// Cost of one of them: PlannedTrial::hop_cost.
double collectiveHopCost(const TestConfig& config, const CollectivePoint& point);

// Adds deviations for hops of the rings among `kinds` that stay on a switch, or cross more switches
// than others, in a fabric of several: the closed forms have hops of equal length.
void noteRingHops(const TestConfig& config, const std::vector<workload::CollectiveKind>& kinds,
                  const std::vector<std::uint32_t>& ranks, Numbers& numbers);

// Mean time of the iterations of the only job, from the first rank's start to the last one's
// finish.
Figure iterationTimeFigure();

// The algo_factor of a point, a required column in every table of bus bandwidths.
Figure algoFactorFigure(const std::vector<CollectivePoint>& points);
// Notes the declarations that a generator must make about its collectives (training draft, revision
// 01, 3.3.3): whether barriers are reproduced, what drives the flows, whether stragglers are
// modelled.
void configureCollectives(Numbers& numbers);

// algo_factor, BusBW mean, P50, P95, P99 over iterations, and the efficiency against the line rate.
// `iterations`: of a trial; columns of percentiles with too few samples are labelled so.
std::vector<Figure> busBandwidthFigures(const TestConfig& config,
                                        const std::vector<CollectivePoint>& points,
                                        std::uint32_t iterations);
// ECN marking, PFC, drops, retransmissions, link load, fairness.
std::vector<Figure> fabricFigures();
// Their KPIs.
std::vector<std::string> fabricKpis();
// The remark of a table of them.
inline constexpr const char* kFabricNote =
    "ECN is the share of data packets that arrived marked; PAUSE, drops and pauses are of all "
    "ports; links are those between switches, both directions.";

// A chart over the number of ranks, without series.
results::Chart chartOverRanks(std::string id, std::string title, std::string y_label);

// Reports points that were predicted rather than simulated, each as an anomaly.
void notePredictions(const std::vector<Measured>& measured, ResultBuilder& builder);

// T9.1 to T9.4 and T6.6: collectives over buffer sizes, ranks, and transports with balancing.
class CollectiveProcedure : public FabricProcedure {
 public:
  [[nodiscard]] std::vector<std::string> kpis() const override;

 protected:
  // Swept values: the draft's, and those of the quick profile.
  struct Sweep {
    std::vector<workload::CollectiveKind> kinds;  // each of them at every point
    std::vector<Bytes> sizes;
    std::vector<Bytes> quick_sizes;
    std::vector<std::uint32_t> ranks;
    std::vector<std::uint32_t> quick_ranks;
  };

  static constexpr std::size_t kCarriedBy = 3;  // index of that axis in the design

  explicit CollectiveProcedure(Sweep sweep) : sweep_(std::move(sweep)) {}
  // All sizes and ranks of section 9 for these collectives.
  static Sweep fullSweep(std::vector<workload::CollectiveKind> kinds);

  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

  // Of every trial.
  static std::uint32_t iterationsOf(const TestConfig& config, Numbers& numbers);
  // The points that design() has, in its order.
  [[nodiscard]] std::vector<CollectivePoint> points(const TestConfig& config,
                                                    Numbers& numbers) const;
  // Transport and balancing: the scenario's transport with ECMP, flowlets and spray.
  [[nodiscard]] virtual std::vector<Variant> variants(const TestConfig& config,
                                                      Numbers& numbers) const;
  // Adds results beyond the common tables.
  virtual void reportMore(const TestConfig&, const Design&, const std::vector<CollectivePoint>&,
                          const std::vector<Measured>&, ResultBuilder&) const {}

 private:
  Sweep sweep_;
};

}  // namespace plumbline::suite
