// Whether the mean of a series is known well enough to stop observing it: batch means with warm-up
// truncation. One observation is one interval of time, one iteration, …; arithmetic only.
//
// The rule, in this order:
//   1. Warm-up: MSER (White, Simulation 69, 1997). The first d cells are left out, where d
//      minimises the squared standard error of the mean of the rest. When that d lies beyond half
//      of the series, the start-up transient is not over.
//   2. The rest is cut into at least `min_batches` batches of equal length.
//   3. The half-width of the Student-t interval of the batch means' mean is widened for their lag-1
//      autocorrelation r, bias-corrected: by sqrt((1 + r) / (1 - r)), r > 0. With r above
//      kMaxCorrelation the batches are too short.
//   4. A straight line through the batch means whose slope is significant is a trend.
// Batch means that are equal within rounding are constant: half-width 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace plumbline::stats {

struct StationarityRule {
  double confidence = 0.95;      // two-sided, of the interval
  double half_width = 0.005;     // most, over |mean|
  std::size_t min_batches = 20;  // at least 4
  // Of counted items (messages, iterations), after the warm-up; 0: any number.
  std::uint64_t min_samples = 0;

  bool operator==(const StationarityRule&) const = default;
};

// What is known of the mean so far, in the unit of the series.
struct BatchMeans {
  double mean = 0;
  double half_width = 0;         // of the interval with the rule's confidence
  std::size_t batches = 0;       // 0: too few observations for the rule, no other member is set
  std::size_t batch_length = 0;  // observations
  std::size_t warm_up = 0;       // observations left out at the beginning
  std::uint64_t samples = 0;     // counted items after the warm-up
  double autocorrelation = 0;    // of the batch means, lag 1
  bool stationary = false;       // all of the rule holds
};

// Collects a series of any length in at most kMaxCells cells: when they are full, pairs are
// merged. So its memory does not grow with the series, and batches become longer with it.
class StationaryMean {
 public:
  static constexpr std::size_t kMaxCells = 128;
  static constexpr double kMaxCorrelation = 0.2;
  static constexpr std::size_t kJudgeEvery = 16;
  // Of the test for a trend.
  static constexpr double kTrendConfidence = 0.99;

  // Throws Error(kUsage) for a rule that no series can meet.
  explicit StationaryMean(const StationarityRule& rule);

  // One observation: the mean of `count` samples whose sum is `sum`. An observation without samples
  // (count 0) is legal; batches need at least one each.
  void add(double sum, std::uint64_t count);
  // cellLength() observations at once. Only at the beginning of a cell.
  void addCell(double sum, std::uint64_t count);
  // Observations so far.
  [[nodiscard]] std::size_t observations() const { return observations_; }
  // Observations per cell.
  [[nodiscard]] std::size_t cellLength() const { return cell_length_; }
  // Whether the series is to be judged now: at the smallest sufficient number of cells, and each
  // time that their number has grown by an eighth. Judging more often stops more series by chance,
  // while their interval happens to be narrow.
  [[nodiscard]] bool due() const;
  // Judges all complete cells.
  [[nodiscard]] BatchMeans judge() const;

 private:
  struct Cell {
    double sum = 0;
    std::uint64_t count = 0;
  };

  // Cells to leave out, by MSER; nothing during the transient.
  [[nodiscard]] std::optional<std::size_t> warmUp() const;

  StationarityRule rule_;
  std::vector<Cell> cells_;  // complete ones
  Cell open_;
  std::size_t open_length_ = 0;
  std::size_t cell_length_ = 1;
  std::size_t observations_ = 0;
};

}  // namespace plumbline::stats
