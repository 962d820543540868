#include "suite/framework/hop_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "stats/binomial.h"
#include "suite/framework/fabric_metrics.h"
#include "suite/framework/retry_model.h"

namespace plumbline::suite {
namespace {

constexpr double kConfidence = 0.99;

double lengthOf(const Hop& hop) { return hop.frames > 0 ? hop.bytes / hop.frames : 0; }

// Probability that a frame is struck, on average: no less, and no more. It grows more slowly than
// the length of a frame.
stats::Interval struck(const Hop& hop) {
  if (hop.frames == 0) return {};
  const double mean = lengthOf(hop);
  const auto longest = static_cast<double>(hop.longest.count());
  return {damageProbability(hop.bit_error_rate, longest) * mean / longest,
          damageProbability(hop.bit_error_rate, mean)};
}

// Of all frames on the line those that were there again [%].
double repeatedPercent(const Hop& hop) {
  return hop.frames > 0 ? 100 * hop.repeated / (hop.frames + hop.repeated) : kNotMeasured;
}

// The same of go-back-N, which repeats `frames`.
double computedPercent(const Hop& hop, double frames) {
  return hop.frames > 0 ? 100 * frames / (hop.frames + frames) : kNotMeasured;
}

// A column of a table of hops.
struct HopColumn {
  std::string name;
  std::string unit;
  std::string kpi;  // empty = not a KPI
  std::function<std::optional<Reading>(const Hop&)> of;
  std::string absent = "no retry";  // instead of a value
};

std::string placeName(const SweepPoint& point, const Hop& hop) {
  return point.label + ", " + hop.name;
}

void addHopTable(const Design& design, const std::vector<PointHops>& rows,
                 const std::vector<HopColumn>& columns, results::Table heading,
                 ResultBuilder& builder) {
  for (const SweepAxis& axis : design.axes) heading.columns.push_back(axis.column);
  heading.columns.emplace_back("Hop");
  for (const HopColumn& column : columns) heading.columns.push_back(column.name);
  for (const PointHops& at : rows) {
    for (const Hop& hop : at.hops) {
      std::vector<results::Cell> row(at.point.values.begin(), at.point.values.end());
      row.emplace_back(hop.name);
      for (const HopColumn& column : columns) {
        const std::optional<Reading> value = column.of(hop);
        if (!value) {
          row.emplace_back(column.absent);
          continue;
        }
        // Of all repetitions together, without their scatter.
        results::Quantity quantity = quantityOf({&*value, 1}, column.unit, hop.observed);
        quantity.repetitions = at.repetitions;
        if (!column.kpi.empty()) {
          quantity = builder.kpi(column.kpi, placeName(at.point, hop), std::move(quantity));
        }
        row.emplace_back(std::move(quantity));
      }
      heading.rows.push_back(std::move(row));
    }
  }
  builder.result().tables.push_back(std::move(heading));
}

HopColumn always(std::string name, std::string unit, std::string kpi, double (*of)(const Hop&)) {
  return {std::move(name), std::move(unit), std::move(kpi), [of](const Hop& hop) {
            const double value = of(hop);
            return std::isfinite(value) ? std::optional<Reading>(value) : std::nullopt;
          }};
}

// Of the number of retries that bit errors alone make.
HopColumn ofExpected(std::string name, std::string kpi, double (*of)(const Hop&)) {
  return {std::move(name), "", std::move(kpi),
          [of](const Hop& hop) {
            return hop.given_up > 0 ? std::nullopt : std::optional<Reading>(of(hop));
          },
          "frames given up"};
}

HopColumn ofRetries(std::string name, std::string unit, std::string kpi,
                    Reading (*of)(const Hop&)) {
  return {std::move(name), std::move(unit), std::move(kpi), [of](const Hop& hop) {
            return hop.latency.count() == 0 ? std::nullopt : std::optional(of(hop));
          }};
}

// The hops with the most expected retries, in the order of the links, after all of them together.
// Selecting by observed retries would favour those with the most by chance.
PointHops shownOf(const PointHops& all, std::size_t max_rows) {
  PointHops shown{all.point, all.repetitions, {}};
  if (all.hops.size() > 1) {
    shown.hops.push_back(together(all.hops, fmt::format("all {} hops", all.hops.size())));
  }
  std::vector<std::size_t> places(all.hops.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::stable_sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return all.hops[a].expected() > all.hops[b].expected();
  });
  places.resize(std::min(places.size(), max_rows));
  std::sort(places.begin(), places.end());
  for (const std::size_t place : places) shown.hops.push_back(all.hops[place]);
  return shown;
}

std::vector<HopColumn> countColumns() {
  return {
      always("Frames", "", "", [](const Hop& hop) { return hop.frames; }),
      always("Retries", "", "", [](const Hop& hop) { return static_cast<double>(hop.retries); }),
      ofExpected("Expected", "", [](const Hop& hop) { return hop.expected(); }),
      ofExpected("99 % from", "", [](const Hop& hop) { return hop.range(kConfidence).low; }),
      ofExpected("to", "", [](const Hop& hop) { return hop.range(kConfidence).high; }),
      ofExpected("Deviation, std", "hop_retries_sigma", [](const Hop& hop) { return hop.sigma(); }),
      always("NACKs", "", "", [](const Hop& hop) { return static_cast<double>(hop.nacks); }),
      always("Lost", "", "", [](const Hop& hop) { return static_cast<double>(hop.nacks_lost); }),
      always("Sent again", "frames", "", [](const Hop& hop) { return hop.repeated; })};
}

std::vector<HopColumn> latencyColumns() {
  return {
      ofRetries("Computed, least", "ns", "",
                [](const Hop& hop) { return Reading(hop.computed.min.toNanoseconds()); }),
      ofRetries("Most", "ns", "",
                [](const Hop& hop) { return Reading(hop.computed.max.toNanoseconds()); }),
      ofRetries("Measured, min", "ns", "",
                [](const Hop& hop) { return quantileOf(hop.latency, 0, 1000); }),
      ofRetries("Mean", "ns", "hop_retry_mean_ns",
                [](const Hop& hop) { return Reading(hop.latency.mean() / 1000); }),
      ofRetries("P50", "ns", "", [](const Hop& hop) { return quantileOf(hop.latency, 0.5, 1000); }),
      ofRetries("P99", "ns", "hop_retry_p99_ns",
                [](const Hop& hop) { return quantileOf(hop.latency, 0.99, 1000); }),
      ofRetries("Max", "ns", "hop_retry_max_ns",
                [](const Hop& hop) { return quantileOf(hop.latency, 1, 1000); }),
      ofRetries("Error", "ns", "hop_retry_error_ns",
                [](const Hop& hop) { return Reading(hop.misfit()); })};
}

std::vector<HopColumn> shareColumns() {
  return {always("Load", "%", "", [](const Hop& hop) { return 100 * hop.load; }),
          always("Sent again", "%", "hop_repeated_percent", repeatedPercent),
          always("Go-back-N at this load", "%", "",
                 [](const Hop& hop) { return computedPercent(hop, hop.repeated_at_load); }),
          always("On a full line", "%", "",
                 [](const Hop& hop) { return computedPercent(hop, hop.repeated_on_full_line); })};
}

void noteGivenUp(const PointHops& at, ResultBuilder& builder) {
  std::uint64_t frames = 0;
  std::size_t hops = 0;
  const Hop* most = nullptr;
  for (const Hop& hop : at.hops) {
    if (hop.given_up == 0) continue;
    frames += hop.given_up;
    ++hops;
    if (most == nullptr || hop.given_up > most->given_up) most = &hop;
  }
  if (most == nullptr) return;
  builder.anomaly(
      fmt::format("LLR gave up {}{} on {} of {}, the most, {}, on {}: its replays were used up, or "
                  "the frames too old (max_replays, data_age). Frames that were given up are no "
                  "retries, so bit errors alone give no expected number of retries on {}",
                  counted(frames, "frame"), sumText(at.repetitions), hops,
                  counted(at.hops.size(), "hop"), most->given_up, most->name,
                  hops == 1 ? "this hop" : "these hops"),
      at.point.label);
}

}  // namespace

double Hop::expected() const {
  const stats::Interval probability = struck(*this);
  return frames * (probability.low + probability.high) / 2;
}

double Hop::sigma() const {
  const stats::Interval probability = struck(*this);
  const auto seen = static_cast<double>(retries);
  const double distance =
      std::max({0.0, seen - frames * probability.high, frames * probability.low - seen});
  const double deviation = std::sqrt(frames * probability.high * (1 - probability.high));
  return deviation == 0 ? 0 : distance / deviation;
}

stats::Interval Hop::range(double confidence) const {
  const stats::Interval probability = struck(*this);
  return {stats::binomialRange(frames, probability.low, confidence).low,
          stats::binomialRange(frames, probability.high, confidence).high};
}

void Hop::computeRepeated() {
  if (frames == 0) return;
  const double failures = static_cast<double>(nacks) / frames;
  const auto again = [&](double share) { return frames * (1 / share - 1); };
  repeated_at_load = again(goBackNShareAt(load, failures, slot, wasted));
  repeated_on_full_line = again(goBackNShareAt(1, failures, slot, wasted));
}

double Hop::misfit() const { return retryResidual(asked, computed, nacks); }

PointHops hopsOf(const Measured& measured, Bytes longest) {
  PointHops all{measured.point, static_cast<std::uint32_t>(measured.trials.size()), {}};
  Picoseconds time;
  for (const bench::TrialResult& trial : measured.trials) {
    time += trial.fabric->load_end;
    for (const bench::LinkLoad& link : trial.fabric->links) {
      if (!link.retries) continue;
      auto hop = std::find_if(all.hops.begin(), all.hops.end(),
                              [&](const Hop& one) { return one.name == link.name; });
      if (hop == all.hops.end()) hop = all.hops.insert(hop, Hop{.name = link.name});
      const bench::HopRetries& seen = *link.retries;
      hop->longest = longest;
      hop->bit_error_rate = seen.bit_error_rate;
      hop->frames += static_cast<double>(link.packets);
      hop->bytes += static_cast<double>(link.bytes);
      if (seen.retries > 0) {
        hop->computed.min =
            hop->retries == 0 ? seen.computed.min : std::min(hop->computed.min, seen.computed.min);
        const Picoseconds in_hand = frameSlot(longest, link.rate);
        hop->computed.max = std::max(hop->computed.max, seen.computed.max + in_hand);
        hop->wasted = hop->computed.max - in_hand / 2;
      }
      hop->retries += seen.retries;
      hop->given_up += seen.given_up;
      hop->nacks += seen.nacks;
      hop->nacks_lost += seen.nacks_lost;
      hop->repeated += static_cast<double>(seen.replayed);
      hop->asked.merge(seen.latency);
      hop->latency.merge(seen.latency);
      hop->latency.merge(seen.timed_latency);
      hop->slot = frameSlot(Bytes(std::llround(lengthOf(*hop))), link.rate);
    }
  }
  // Of all trials, also those in which a hop had no frame. Queues go on draining behind the
  // streams, and a hop behind a slower one is idle meanwhile.
  for (Hop& hop : all.hops) {
    hop.load = hop.frames * hop.slot.toSeconds() / time.toSeconds();
    hop.computeRepeated();
  }
  return all;
}

Hop together(const std::vector<Hop>& hops, std::string name) {
  Hop all = hops.front();
  all.name = std::move(name);
  double load = all.load;
  for (std::size_t i = 1; i < hops.size(); ++i) {
    const Hop& hop = hops[i];
    // Over all frames: expected values add up.
    const double bits = all.bit_error_rate * all.bytes + hop.bit_error_rate * hop.bytes;
    all.frames += hop.frames;
    all.bytes += hop.bytes;
    all.longest = std::max(all.longest, hop.longest);
    all.bit_error_rate = all.bytes > 0 ? bits / all.bytes : 0;
    if (hop.retries > 0) {
      all.computed.min =
          all.retries == 0 ? hop.computed.min : std::min(all.computed.min, hop.computed.min);
      all.computed.max = std::max(all.computed.max, hop.computed.max);
    }
    all.retries += hop.retries;
    all.given_up += hop.given_up;
    all.nacks += hop.nacks;
    all.nacks_lost += hop.nacks_lost;
    all.repeated += hop.repeated;
    all.repeated_at_load += hop.repeated_at_load;
    all.repeated_on_full_line += hop.repeated_on_full_line;
    all.latency.merge(hop.latency);
    all.asked.merge(hop.asked);
    load += hop.load;
  }
  all.load = load / static_cast<double>(hops.size());
  return all;
}

void addHopTables(const Design& design, const std::vector<PointHops>& points, std::size_t max_rows,
                  ResultBuilder& builder) {
  std::vector<PointHops> rows;
  bool cut = false;
  std::uint32_t repetitions = 1;
  for (const PointHops& at : points) {
    rows.push_back(shownOf(at, max_rows));
    cut = cut || at.hops.size() > max_rows;
    repetitions = std::max(repetitions, at.repetitions);
  }
  const std::string which =
      cut ? fmt::format(" Of each point the {} hops on which the most are expected.", max_rows)
          : std::string();
  const std::string sums = repetitions > 1
                               ? fmt::format(" Counts are sums of {} repetitions.", repetitions)
                               : std::string();
  addHopTable(design, rows, countColumns(),
              {"hops",
               "Retries of each hop",
               "A hop is one direction of a link. Frames are damaged independently, so that the "
               "number of retries scatters by chance. Expected: the number from errors per bit and "
               "bits sent, with the range that contains it with 99 % probability. NACKs beyond the "
               "retries are for copies that were damaged as well. Lost NACKs were destroyed by bit "
               "errors or an outage. Sent again: the damaged frames and all frames after them." +
                   sums + which,
               {},
               {}},
              builder);
  addHopTable(design, rows, latencyColumns(),
              {"hop_latency",
               "Retry latency of each hop",
               "From the end of a damaged frame's first transmission to the end of its good copy. "
               "Computed of one attempt, from link delay, configuration and frame: least on a "
               "free line, most with the frame that the sender has in hand. Longer ones met "
               "further errors, or waited for the replay timer because a NACK was lost. Error: the "
               "largest distance of any retry but the latter from the times of one, two, three and "
               "more attempts." +
                   which,
               {},
               {}},
              builder);
  addHopTable(
      design, rows, shareColumns(),
      {"hop_share",
       "Throughput lost to retries",
       "Share of repeated frames among all frames on the line. Load: of frames that were sent "
       "for the first time, mean until the last frame of the trial has left. The closed form "
       "of go-back-N gives the share for the failures that happened, once at this load and once "
       "at full line rate, which holds while a retry is caught up; of all hops, from the frames "
       "that it repeats on each. A retry repeats what was sent "
       "within its latency: more than at the mean load where the trial goes on after the hop's "
       "traffic, less behind a message and at the end of the trial." +
           which,
       {},
       {}},
      builder);
}

void checkRetryCounts(const std::vector<PointHops>& points, ResultBuilder& builder) {
  std::ptrdiff_t count = 0;
  for (const PointHops& at : points) {
    noteGivenUp(at, builder);
    count += std::ranges::count(at.hops, 0U, &Hop::given_up);
  }
  if (count == 0) return;
  const double confidence = 1 - (1 - kConfidence) / static_cast<double>(count);
  for (const PointHops& at : points) {
    for (const Hop& hop : at.hops) {
      if (hop.given_up > 0) continue;
      const stats::Interval range = hop.range(confidence);
      const auto retries = static_cast<double>(hop.retries);
      if (retries >= range.low && retries <= range.high) continue;
      builder.anomaly(
          fmt::format("{} retries{}, where {:g} errors per bit make {:.0f} to {:.0f}", hop.retries,
                      sumText(at.repetitions), hop.bit_error_rate, range.low, range.high),
          placeName(at.point, hop));
    }
  }
}

}  // namespace plumbline::suite
