// What the soak tests (T12.1, T12.2) have in common: AllReduce and AlltoAll in turn among all hosts
// of the DUT for a day, and a sample of every figure each minute.
//
// A packet-level simulation of a day at 400 Gb/s takes a year, so the clock is compressed: a sample
// stands for the interval up to the next one, and of that interval a window is simulated, as many
// iterations as the test was given. What the scenario schedules for the day (failures, PAUSE
// storms) is compressed with the clock, so that a window has the share of its interval. The jobs
// run all day: QPs, and with them the paths that switches choose by hash, are the same in all
// windows, so that nothing but what happens to the DUT makes samples differ. On a model to which
// nothing happens they are identical, and the tests say so (distinctSamples()). Every window is a
// trial: it is stored when it is done, and a soak that was killed goes on with the first one that
// is missing.
#pragma once

#include <cstdint>
#include <functional>
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
  // How much of an interval a window is, by what serialisation alone takes; at most 1.
  [[nodiscard]] double share() const { return window_seconds / interval.toSeconds(); }

  Numbers numbers;
  Picoseconds duration;
  Picoseconds interval;
  std::uint32_t samples = 0;
  std::uint32_t ranks = 0;
  Bytes size;                    // of both collectives
  std::uint32_t iterations = 0;  // of a window, each an AllReduce and an AlltoAll
  double window_seconds = 0;
  double hops = 0;      // of a window: packets crossing a link, roughly
  double hop_cost = 1;  // of one of them, see Plan
};

// The trial of sample `number`.
bench::TrialSpec soakTrial(const TestConfig& config, const SoakDesign& design,
                           std::uint32_t number);

// A figure that is sampled.
struct SoakFigure {
  Figure figure;
  bool more_is_better = false;
  // Samples far above the soak's usual ones are anomalies. Not so of figures that are mostly zero
  // or scatter as widely as marking does.
  bool watched = false;
};
// All KPIs of the draft that simulated hosts observe. JCT ratio and bus bandwidth come first and
// second.
std::vector<SoakFigure> soakFigures(const TestConfig& config, const SoakDesign& design);
inline constexpr std::size_t kJctRatio = 0;
inline constexpr std::size_t kBusBandwidth = 1;

struct SoakSample {
  Picoseconds time;            // since the soak began
  std::vector<double> values;  // in the order of the figures; empty where the trial was not valid
  std::string fault;           // why
  // Of a valid one: the JCT ratio of every iteration of its window, and how long the window was.
  std::vector<double> iterations;
  Picoseconds window;
};

// Runs all windows and keeps what is sampled of each; asks the DUT's own figures of each as well.
// Losses of lossless priorities are noted in `builder`.
std::vector<SoakSample> takeSamples(const TestConfig& config, const SoakDesign& design,
                                    const std::vector<SoakFigure>& figures, TrialRunner& runner,
                                    ResultBuilder& builder);

// What the DUT says of itself over a soak, asked with the samples: one series for each metric, and
// what went wrong as anomalies in `builder`. Nothing when the scenario names no source.
std::vector<DutSeries> dutSeries(const TestConfig& config, const SoakDesign& design,
                                 TrialRunner& runner, ResultBuilder& builder);
// Such a figure: as one that is sampled, and no KPI.
results::Quantity dutReported(double value, std::string unit);

// Hours, of all valid samples, and the values of one figure.
std::vector<double> sampleHours(const std::vector<SoakSample>& samples);
std::vector<double> sampleValues(const std::vector<SoakSample>& samples, std::size_t figure);
// How many of the valid samples differ from all others before them in some figure.
std::size_t distinctSamples(const std::vector<SoakSample>& samples);

// "06:30:00": time since the soak began.
std::string clockText(Picoseconds time);

// A stretch of samples of which something is true: from the first one's time to that of the first
// sample behind it, or to the end of the last one's interval.
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
  // What neither the DUT's model nor the DUT itself is asked: said when the scenario names no
  // source of what the DUT reports.
  [[nodiscard]] virtual std::string notCollected() const = 0;
  // Tables, charts, KPIs and summary. Samples that are not valid are anomalies already; at least
  // kFewestSamples are valid. `dut`: what the DUT reported.
  virtual void report(const SoakDesign& design, const std::vector<SoakFigure>& figures,
                      const std::vector<SoakSample>& samples, const std::vector<DutSeries>& dut,
                      ResultBuilder& builder) const = 0;
};

// Fewer leave no scatter to judge a slope by.
inline constexpr std::uint32_t kFewestSamples = 3;

}  // namespace plumbline::suite
