// Common parts of the soak tests (T12.1, T12.2): AllReduce and AlltoAll in turn among all hosts of
// the DUT for a day, with a sample of every figure each minute.
//
// A packet-level simulation of a day at 400 Gb/s takes a year, so the clock is compressed: a sample
// represents the interval up to the next one, of which a window is simulated, with the test's
// number of iterations. Events that the scenario schedules for the day (failures, PAUSE storms) are
// compressed with the clock, by the time of a window without contention; one that lasts to the end
// of an interval lasts to the window's, and a storm of that kind which holds a window back for a
// hundred times as long makes it no sample. The jobs run all day: QPs, and the paths that switches
// choose by hash, are the same in all windows. What is random in time (FabricSpec::draw) is drawn
// for each, so that samples are independent of each other. On a model without that and without
// events they are identical, and the tests report it (identicalSamples()). Every window is a trial:
// it is stored when it is done, and a killed soak resumes with the first missing one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "bench/trial/trial.h"
#include "suite/framework/dut_metrics.h"
#include "suite/framework/figures.h"
#include "suite/framework/numbers.h"
#include "suite/framework/result_builder.h"
#include "suite/procedure.h"

namespace plumbline::suite {

struct SoakDesign {
  explicit SoakDesign(const TestConfig& config);

  // When sample `number` is taken: 0, interval, … , duration.
  [[nodiscard]] Picoseconds timeOf(std::uint32_t number) const { return interval * number; }
  // Share of an interval that a window without contention covers, by serialisation time alone; at
  // most 1.
  [[nodiscard]] double share() const { return window_seconds / interval.toSeconds(); }

  Numbers numbers;
  Picoseconds duration;
  Picoseconds interval;
  std::uint32_t samples = 0;
  std::uint32_t ranks = 0;
  Bytes size;                    // of both collectives
  std::uint32_t iterations = 0;  // of a window, each an AllReduce and an AlltoAll
  double window_seconds = 0;
  double hops = 0;        // of a window: packets crossing a link, roughly
  double hop_cost = 1;    // of one of them, see Plan
  bool eventful = false;  // the scenario has failures or PAUSE storms during the soak
  bool hashes = false;    // switches choose paths by hashes
};

// The trial of sample `number`.
bench::TrialSpec soakTrial(const TestConfig& config, const SoakDesign& design,
                           std::uint32_t number);

// A sampled figure.
struct SoakFigure {
  Figure figure;
  bool more_is_better = false;
  // Samples far above the soak's usual ones are anomalies. False for figures that are mostly zero
  // or scatter widely, like marking.
  bool watched = false;
};
// All KPIs of the draft that simulated hosts observe. JCT ratio and bus bandwidth come first and
// second.
std::vector<SoakFigure> soakFigures(const TestConfig& config, const SoakDesign& design);
inline constexpr std::size_t kJctRatio = 0;
inline constexpr std::size_t kBusBandwidth = 1;

struct SoakSample {
  Picoseconds time;            // since the soak began
  std::vector<double> values;  // in the order of the figures; empty for an invalid trial
  std::string fault;           // why
  std::vector<std::optional<results::Percentile>> percentiles{};  // those that values are
  // For a valid trial: the JCT ratio of every iteration of its window, and the window's length.
  std::vector<double> iterations;
  Picoseconds window;
};

// Runs all windows and samples each; also queries the DUT's own figures for each. Losses of
// lossless priorities are noted in `builder`.
std::vector<SoakSample> measureSamples(const TestConfig& config, const SoakDesign& design,
                                       const std::vector<SoakFigure>& figures, TrialRunner& runner,
                                       ResultBuilder& builder);

struct DutReport {
  std::vector<DutSeries> series;  // one for each metric
  bool complete = true;           // false: the source gave no figures for some of the samples
};
// Metrics that the DUT reported over a soak, queried with the samples. Errors are anomalies in
// `builder`. No series when the scenario names no source.
DutReport dutReport(const TestConfig& config, const SoakDesign& design, TrialRunner& runner,
                    ResultBuilder& builder);
// A figure reported by the DUT: like a sampled one, but no KPI.
results::Quantity dutReported(double value, std::string unit);

// Hours, of all valid samples, and the values of one figure.
std::vector<double> sampleHours(const std::vector<SoakSample>& samples);
std::vector<double> sampleValues(const std::vector<SoakSample>& samples, std::size_t figure);
// Number of valid samples that differ from all earlier ones in some figure.
std::size_t distinctSamples(const std::vector<SoakSample>& samples);

inline bool hasFailed(const SoakSample& sample) { return sample.values.empty(); }
std::size_t failedSamples(const std::vector<SoakSample>& samples);
// What a deviation says of a soak whose valid samples are identical; nothing where they differ.
std::optional<std::string> identicalSamples(const SoakDesign& design,
                                            const std::vector<SoakSample>& samples);

// "06:30:00": time since the soak began.
std::string clockText(Picoseconds time);

// A stretch of samples with a common property: from the first one's time to that of the first
// sample after it, or to the end of the last one's interval.
struct Episode {
  Picoseconds from;
  Picoseconds until;
  std::size_t first = 0;  // samples
  std::size_t count = 0;
  Picoseconds simulated;  // of its samples' windows together
};
std::vector<Episode> episodesOf(const std::vector<SoakSample>& samples, Picoseconds interval,
                                const std::function<bool(const SoakSample&)>& is);

// A test over the samples of a soak.
class SoakProcedure : public Procedure {
 public:
  [[nodiscard]] bool onHosts() const override { return true; }
  [[nodiscard]] Plan plan(const TestConfig& config) const override;
  results::TestResult run(const TestConfig& config, TrialRunner& runner) const override;

 protected:
  [[nodiscard]] virtual std::string section() const = 0;
  // Figures that neither the DUT's model nor the DUT itself provides: reported when the scenario
  // names no source of DUT metrics.
  [[nodiscard]] virtual std::string notCollected() const = 0;
  // Tables, charts, KPIs and summary. Invalid samples are anomalies already; at least
  // kMinSamples are valid. `dut`: metrics that the DUT reported.
  virtual void report(const SoakDesign& design, const std::vector<SoakFigure>& figures,
                      const std::vector<SoakSample>& samples, const DutReport& dut,
                      ResultBuilder& builder) const = 0;
};

// Fewer samples have no scatter for judging a slope.
inline constexpr std::uint32_t kMinSamples = 3;

}  // namespace plumbline::suite
