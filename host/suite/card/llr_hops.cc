// llr-hops: link-level retry on the hops of a simulated fabric, each compared with its computed
// values.
//
// Swept: ratios of random bit errors on the fabric's links; first a point with frames so far apart
// that a retry is over before the next one. The links are those of the scenario's `dut.bit_errors`,
// or all that switches send into. Named links keep their own ratios where none are swept. All pairs
// of the scenario send at once, at kHopLoad of line rate or, if that is less, at nine tenths of
// what go-back-N leaves of the slowest of these links, as more would only queue. From the fabric
// for each hop, modelled: frames, retries, NACKs, repeated frames, and for each retry the time from
// the end of the damaged frame's first transmission to the end of its good one. From the tester:
// frames lost, duplicated and out of order after the retries, and their latency. Computed: retries,
// from errors and bits carried, with their statistical range; retry latency, from link delay,
// configuration and frame (bench/card/retry_time.h); share of the line under go-back-N.
//
// A card supports LLR on a bare link only, where its peer is another card's port: the fabric's
// switches do not use LLR with a tester. Where the bench has such a card, the same errors on a link
// of its own follow, timed by the card: measured beside modelled.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/counted.h"
#include "bench/card/retry_time.h"
#include "fabric/link/link_retry.h"
#include "fabric/topology/topology.h"
#include "suite/card/card.h"
#include "suite/card/card_procedure.h"
#include "suite/framework/hop_table.h"
#include "suite/framework/retry_model.h"
#include "suite/framework/trials.h"

namespace plumbline::suite {
namespace {

constexpr Fraction kHopLoad = Fraction::percent(80);
constexpr double kHeadroom = 0.9;  // of the share under go-back-N
constexpr Bytes kHopFrame{512};
// Largest mean number of failed attempts per frame; beyond, the line carries mostly repetitions.
constexpr double kMaxHopFailures = 1;
// Well separated frames: number of frames per stream, and the smallest acceptable probability that
// one needs more attempts than its interval allows.
constexpr std::int64_t kFramesApart = 200;
constexpr double kNegligibleProbability = 1e-7;
constexpr std::size_t kHopRows = 32;
// How far a time may be from the computed one [ns]: the model is exact, the card to its clock.
constexpr double kExact = 0.0005;
constexpr double kCardClock = 3.104;
constexpr const char* kCardLink = "card's own link";

class LlrHopsProcedure final : public CardProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "llr-hops"; }
  [[nodiscard]] std::string title() const override { return "Link-level retry, hop by hop"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"hop_retry_mean_ns", "hop_retry_p99_ns",     "hop_retry_max_ns", "hop_retry_error_ns",
            "hop_retries_sigma", "hop_repeated_percent", "reordered_frames", "lost_frames"};
  }

 protected:
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void reportCard(const Design& design, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override;
};

// Errors per bit of all links with errors, or of each its own.
using Ratio = std::optional<double>;

// The links of a DUT that errors strike.
class DamagedLinks {
 public:
  DamagedLinks(const fabric::FabricSpec& dut, Bytes frame)
      : dut_(dut), topology_(fabric::buildTopology(dut.topology)), frame_(frame) {
    std::vector<Ratio> ratios(topology_.links().size());
    for (const fabric::BitErrorSpec& rule : dut.bit_errors) {
      for (const fabric::LinkId link : topology_.selectLinks(rule.link, "dut.bit_errors")) {
        ratios[link] = rule.rate;
      }
    }
    for (fabric::LinkId link = 0; link < ratios.size(); ++link) {
      if (dut.bit_errors.empty() ? fromSwitch(link) : ratios[link].has_value()) {
        links_.push_back({link, ratios[link].value_or(0)});
      }
    }
  }

  // The first one that a host sends into.
  [[nodiscard]] std::optional<std::string> ofHost() const {
    for (const DamagedLink& one : links_) {
      if (!fromSwitch(one.link)) return topology_.linkName(one.link);
    }
    return std::nullopt;
  }

  [[nodiscard]] std::vector<fabric::BitErrorSpec> errors(Ratio ratio) const {
    std::vector<fabric::BitErrorSpec> errors;
    errors.reserve(links_.size());
    for (const DamagedLink& one : links_) {
      errors.push_back({topology_.linkName(one.link), ratio.value_or(one.own)});
    }
    return errors;
  }

  // The largest ratio of any of them.
  [[nodiscard]] double max(Ratio ratio) const {
    double max = 0;
    for (const DamagedLink& one : links_) max = std::max(max, ratio.value_or(one.own));
    return max;
  }

  // Longest retry of one attempt on a free line.
  [[nodiscard]] Picoseconds longest() const {
    Picoseconds max;
    for (const DamagedLink& one : links_) max = std::max(max, retryOn(one.link));
    return max;
  }

  // Share of `line` that go-back-N leaves of the slowest of them.
  [[nodiscard]] double leftUnder(Ratio ratio, BitRate line) const {
    double left = 1;
    for (const DamagedLink& one : links_) {
      const double failures =
          failuresPerFrame(ratio.value_or(one.own), static_cast<double>(frame_.count()));
      const BitRate rate = topology_.links()[one.link].rate;
      const Picoseconds slot = frameSlot(frame_, rate);
      const double share = bench::goBackNShare(failures, slot, retryOn(one.link) + slot / 2);
      left = std::min(left, share * static_cast<double>(rate.bitsPerSecond()) /
                                static_cast<double>(line.bitsPerSecond()));
    }
    return left;
  }

 private:
  struct DamagedLink {
    fabric::LinkId link;
    double own;  // ratio in the scenario
  };

  [[nodiscard]] bool fromSwitch(fabric::LinkId link) const {
    return topology_.nodes()[topology_.links()[link].from].kind == fabric::NodeKind::kSwitch;
  }
  [[nodiscard]] Picoseconds retryOn(fabric::LinkId link) const {
    return fabric::retryTime(frame_, *dut_.switches.llr, topology_.links()[link],
                             topology_.links()[fabric::reverse(link)]);
  }

  const fabric::FabricSpec& dut_;
  fabric::Topology topology_;
  Bytes frame_;
  std::vector<DamagedLink> links_;
};

Fraction loadLeft(double left) {
  return std::min(kHopLoad, Fraction::partsPerTrillion(std::llround(left * Fraction::kOne)));
}

std::string ratioName(Ratio ratio) {
  return ratio ? fmt::format("{:g}", *ratio) : std::string("own ratios");
}

// Interval of frames in which practically none is still being retried.
Picoseconds apartUnder(double ratio, Bytes frame, Picoseconds retry) {
  const double failing = damageProbability(ratio, static_cast<double>(frame.count()));
  return retry * (1 + static_cast<std::int64_t>(std::ceil(std::log(kNegligibleProbability) /
                                                          std::log(std::max(failing, 1e-3)))));
}

void sendAll(const TestConfig& config, Bytes frame, Fraction load, bench::TrialSpec& spec) {
  for (const scenario::HostPair& pair : config.scenario.hostPairs()) {
    spec.streams.push_back(streamBetween(config, pair, frame, load));
  }
}

// The same errors on a bare link of the card's own, with the host's cable; nothing if the bench has
// none, or if its replay buffer is too small.
std::optional<bench::TrialSpec> cardLinkTrial(const TestConfig& config, double ratio, Bytes frame,
                                              Picoseconds duration) {
  if (!config.bench.link_retry) return std::nullopt;
  bench::TrialSpec spec = cardTrial(config, duration);
  const fabric::TopologySpec& whole = config.scenario.topology;
  spec.dut.topology = {};
  spec.dut.topology.kind = fabric::TopologyKind::kLink;
  spec.dut.topology.link_rate = whole.link_rate;
  spec.dut.topology.host_link_delay = whole.host_link_delay;
  spec.dut.switches = {};
  spec.dut.bit_errors.clear();
  spec.dut.failures.clear();
  spec.dut.storms.clear();
  const bench::RetryTime free = bench::retryOnFreeLine(frame, whole.host_link_delay);
  const Picoseconds slot = frameSlot(frame, whole.link_rate);
  if (free.max + slot > kLongestCardRetry) return std::nullopt;
  const double left = bench::goBackNShare(
      failuresPerFrame(ratio, static_cast<double>(frame.count())), slot, free.max + slot / 2);
  spec.streams = {streamBetween(config, {0, 1}, frame, loadLeft(kHeadroom * left))};
  spec.link_retry = unlimitedRetry(free.max + slot);
  spec.damage = {{0, card::DamageDirection::kSent, card::BitErrors{ratio, config.scenario.seed}}};
  return spec;
}

// Ratios to sweep, without those at which frames hardly pass.
std::vector<Ratio> ratiosOf(const TestConfig& config, const SizePoint& size,
                            const DamagedLinks& struck, Design& design) {
  const auto& own = config.scenario.parameters.card.error_ratios;
  std::vector<Ratio> wanted;
  if (own) {
    wanted.assign(own->begin(), own->end());
  } else if (!config.scenario.bit_errors.empty()) {
    wanted = {std::nullopt};
  } else if (design.numbers.isStandard()) {
    wanted = {1e-7, 1e-6, 1e-5};
  } else {
    wanted = {1e-6, 1e-5};
  }
  std::vector<Ratio> passing;
  for (const Ratio& ratio : wanted) {
    const double max = struck.max(ratio);
    if (failuresPerFrame(max, static_cast<double>(size.frame.count())) <= kMaxHopFailures) {
      passing.push_back(ratio);
      continue;
    }
    const std::string why = fmt::format(
        "more than half of the frames of {} are damaged at {:g} errors per bit", size.label, max);
    if (own || !ratio) {
      design.refusals.push_back(why + ": shorter ones, or fewer errors");
    } else {
      design.numbers.deviation(why + ": left out");
    }
  }
  return passing;
}

Design LlrHopsProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Bit errors", "per bit"}, {"Traffic", ""}};
  design.repetitions = design.numbers.repetitions(1, 1);
  if (config.scenario.topology.kind == fabric::TopologyKind::kLink) {
    design.refusals.emplace_back(
        "a bare link has no hops of a fabric: a topology with switches, or the test llr-retry");
  }
  if (!config.bench.simulated_dut) {
    design.refusals.emplace_back(
        "only a simulated DUT reports the retries of its hops: bench rtl or sim");
  }
  if (!design.refusals.empty()) return design;
  const Picoseconds duration = design.numbers.atLeast(
      "Trial duration", milliseconds(10), milliseconds(1), config.scenario.parameters.duration);
  const SizePoint size = sizeOf(config, kHopFrame);
  bench::TrialSpec spec = cardTrial(config, duration);
  if (!spec.dut.switches.llr) spec.dut.switches.llr.emplace();
  const DamagedLinks struck(spec.dut, size.frame);
  if (const auto link = struck.ofHost()) {
    design.refusals.push_back(fmt::format(
        "errors on a sender's own link, {}, would make its frames late, and a tester's port does "
        "not retry: dut.bit_errors on links that a switch sends into",
        *link));
    return design;
  }
  const std::vector<Ratio> ratios = ratiosOf(config, size, struck, design);
  if (ratios.empty() || !design.refusals.empty()) return design;
  const fabric::LlrSpec& llr = *spec.dut.switches.llr;
  design.numbers.configure("Load", "at most " + percentText(kHopLoad));
  design.numbers.configure("Frame", size.label);
  design.numbers.configure(
      "LLR of the fabric",
      fmt::format("processing of receiver {}, of sender {}", valueText(llr.receiver_processing),
                  valueText(llr.sender_processing)));
  const BitRate line = config.scenario.topology.link_rate;
  const auto add = [&](Ratio ratio, const char* traffic, Fraction load, Picoseconds time) {
    bench::TrialSpec trial = spec;
    trial.duration = time;
    trial.dut.bit_errors = struck.errors(ratio);
    sendAll(config, size.frame, load, trial);
    const double hops = frameHops(config, trial);
    const double cost = streamHopCost(trial);
    design.add({ratioName(ratio), traffic}, std::move(trial), hops, cost);
  };
  const Ratio worst = *std::max_element(ratios.begin(), ratios.end());
  const Picoseconds apart = apartUnder(struck.max(worst), size.frame, struck.longest());
  add(worst, "apart",
      Fraction::partsPerTrillion(frameSlot(size.frame, line).count() * Fraction::kOne /
                                 apart.count()),
      std::max(duration, kFramesApart * apart));
  for (const Ratio& ratio : ratios) {
    add(ratio, "under load", loadLeft(kHeadroom * struck.leftUnder(ratio, line)), duration);
  }
  for (const Ratio& ratio : ratios) {
    auto trial = cardLinkTrial(config, struck.max(ratio), size.frame, duration);
    if (trial) design.add({ratioName(struck.max(ratio)), kCardLink}, std::move(*trial), 0);
  }
  return design;
}

bool onCardLink(const SweepPoint& point) { return point.spec.link_retry.has_value(); }

// The card's own link as a hop: what its two ports counted and timed.
PointHops cardLinkOf(const Measured& measured) {
  const bench::StreamSpec& stream = measured.point.spec.streams.front();
  const fabric::TopologySpec& link = measured.point.spec.dut.topology;
  Hop hop{.name = fmt::format("port {} to port {}", stream.from, stream.to),
          .observed = ObservationPoint::kTester};
  hop.bit_error_rate = std::get<card::BitErrors>(measured.point.spec.damage.front().what).ratio;
  hop.longest = stream.frame;
  hop.slot = frameSlot(stream.frame, link.link_rate);
  hop.computed = bench::retryOnFreeLine(stream.frame, link.host_link_delay);
  hop.wasted = hop.computed.max + hop.slot / 2;
  hop.computed.max += hop.slot;
  hop.load = std::get<bench::ConstantLoad>(stream.load).rate.toDouble();
  for (const bench::TrialResult& trial : measured.trials) {
    const bench::LinkRetryOutcome& sender = trial.ports.at(stream.from).link_retry.value();
    const bench::LinkRetryOutcome& receiver = trial.ports.at(stream.to).link_retry.value();
    hop.frames += static_cast<double>(sender.counters.tx_ok);
    hop.repeated += static_cast<double>(sender.counters.tx_replay_frames);
    hop.nacks += receiver.counters.tx_nack;
    hop.retries += receiver.damaged.count();
    hop.latency.merge(receiver.damaged);
  }
  hop.asked = hop.latency;
  hop.bytes = hop.frames * static_cast<double>(stream.frame.count());
  hop.computeRepeated();
  return {measured.point, static_cast<std::uint32_t>(measured.trials.size()), {std::move(hop)}};
}

// Frames that arrived after the retries, from the streams' receivers.
void addStreams(const Design& design, const std::vector<Measured>& measured,
                ResultBuilder& builder) {
  const auto sum = [](std::string column, std::string kpi,
                      std::uint64_t bench::StreamResult::*member) {
    return testerFigure(std::move(column), "frames", std::move(kpi),
                        [member](std::size_t, const bench::TrialResult& trial) {
                          double all = 0;
                          for (const bench::StreamResult& stream : trial.streams) {
                            all += static_cast<double>(stream.*member);
                          }
                          return std::optional(all);
                        });
  };
  // 0 is the smallest one, 1 the largest.
  const auto latency = [](std::string column, double quantile) {
    return testerFigure(
        std::move(column), "ns", "",
        [quantile](std::size_t, const bench::TrialResult& trial) -> std::optional<Reading> {
          stats::Histogram all;
          for (const bench::GroupLatency& group : trial.latency) all.merge(group.histogram);
          return quantileOf(all, quantile, 1000);
        });
  };
  addTable(
      design, measured,
      {testerFigure("Load", "%", "",
                    [&design](std::size_t place, const bench::TrialResult&) {
                      const auto& stream = design.points[place].spec.streams.front();
                      return std::optional(
                          100 * std::get<bench::ConstantLoad>(stream.load).rate.toDouble());
                    }),
       sum("Sent", "", &bench::StreamResult::sent_frames),
       sum("Lost", "lost_frames", &bench::StreamResult::lost),
       sum("Duplicate", "", &bench::StreamResult::duplicate),
       sum("Out of order", "reordered_frames", &bench::StreamResult::out_of_order),
       latency("Latency, min", 0), latency("P50", 0.5), latency("P99", 0.99), latency("Max", 1)},
      {"streams",
       "Above the retries",
       "All streams together: frames, mean per repetition, and their one-way latency, which "
       "includes retries on the way. The load is that of each sender: the default, or nine tenths "
       "of the rate that "
       "go-back-N leaves on the slowest hop if that is less.",
       {},
       {}},
      builder);
}

// Median and computed times of every hop under load, and the distributions of all together.
void addPictures(const std::vector<PointHops>& points, ResultBuilder& builder) {
  results::Chart chart;
  chart.id = "hop_latency";
  chart.title = "Retry latency of each hop of the fabric";
  chart.kind = results::ChartKind::kBar;
  chart.x_label = "hop";
  chart.y_label = "retry latency [ns]";
  for (const PointHops& at : points) {
    if (at.hops.empty()) continue;
    const Hop all = together(at.hops, "");
    if (all.latency.count() > 0) {
      builder.result().distributions.push_back(
          {fmt::format("retries_{}", builder.result().distributions.size()),
           "Retry latency: " + at.point.label, "ps", all.observed, all.latency});
    }
    if (onCardLink(at.point)) continue;
    const auto series = [&](const std::string& name, const auto& of) {
      results::Series one{name, {}, {}, false};
      for (const Hop& hop : at.hops) {
        if (hop.latency.count() == 0) continue;
        auto place = std::find(chart.categories.begin(), chart.categories.end(), hop.name);
        if (place == chart.categories.end()) {
          place = chart.categories.insert(place, hop.name);
        }
        one.x.push_back(static_cast<double>(place - chart.categories.begin()));
        one.y.push_back(of(hop));
      }
      if (!one.x.empty()) chart.series.push_back(std::move(one));
    };
    if (chart.series.empty()) {
      series("computed, free line",
             [](const Hop& hop) { return hop.computed.min.toNanoseconds(); });
    }
    series("P50, " + at.point.label,
           [](const Hop& hop) { return static_cast<double>(hop.latency.quantile(0.5)) / 1000; });
  }
  if (!chart.series.empty() && chart.categories.size() <= kHopRows) {
    builder.result().charts.push_back(std::move(chart));
  }
}

void checkAbove(const Measured& one, ResultBuilder& builder) {
  for (const bench::TrialResult& trial : one.trials) {
    for (const bench::StreamResult& stream : trial.streams) {
      if (stream.lost + stream.duplicate + stream.out_of_order + stream.stale == 0) continue;
      builder.anomaly(fmt::format("above the retries {} of '{}' lost, {} came twice "
                                  "and {} out of order",
                                  counted(stream.lost, "frame"), stream.name, stream.duplicate,
                                  stream.out_of_order + stream.stale),
                      one.point.label);
    }
  }
}

void checkTimes(const PointHops& at, ResultBuilder& builder) {
  for (const Hop& hop : at.hops) {
    const double error = hop.misfit();
    if (error <= (onCardLink(at.point) ? kCardClock : kExact)) continue;
    builder.anomaly(fmt::format("retries took {:.3f} ns more or less than computed", error),
                    at.point.label + ", " + hop.name);
  }
}

void LlrHopsProcedure::reportCard(const Design& design, const std::vector<Measured>& measured,
                                  ResultBuilder& builder) const {
  std::vector<PointHops> points;
  double lost = 0;
  for (const Measured& one : measured) {
    points.push_back(onCardLink(one.point) ? cardLinkOf(one)
                                           : hopsOf(one, one.point.spec.streams.front().frame));
    checkAbove(one, builder);
    checkTimes(points.back(), builder);
    for (const bench::TrialResult& trial : one.trials) lost += lostFrames(trial);
  }
  checkRetryCounts(points, builder);
  addHopTables(design, points, kHopRows, builder);
  addStreams(design, measured, builder);
  addPictures(points, builder);
  std::uint64_t retries = 0;
  std::uint64_t given_up = 0;
  double expected = 0;
  double worst = 0;
  std::size_t hops = 0;
  for (const PointHops& at : points) {
    if (!onCardLink(at.point)) hops = std::max(hops, at.hops.size());
    for (const Hop& hop : at.hops) {
      retries += hop.retries;
      given_up += hop.given_up;
      expected += hop.expected();
      worst = std::max(worst, hop.misfit());
    }
  }
  results::Quantity total;
  total.value = lost;
  total.unit = "frames";
  builder.primary("lost", total);
  builder.result().summary = fmt::format(
      "{} hops of the fabric: {} retries, {}, {:.0f} frames lost; times as computed within {:.3g} "
      "ns.",
      hops, retries,
      given_up == 0 ? fmt::format("{:.0f} expected", expected)
                    : fmt::format("{} given up by LLR", counted(given_up, "frame")),
      lost, worst);
}

}  // namespace

const Procedure& llrHopsProcedure() {
  static const LlrHopsProcedure test;
  return test;
}

}  // namespace plumbline::suite
