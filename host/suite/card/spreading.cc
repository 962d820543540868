// rocev2-qps and uet-entropy: many queue pairs, or packet delivery contexts, of one pair of ports,
// and how a fabric spreads them over its links.
//
// Swept: queue pairs (contexts) × source of the frames' UDP source port (one per queue pair, one
// for all, the next of some with every frame, a random one of some) × load balancing of the
// switches. The first pair's sender sends at kSpreadingLoad of line rate, queue pairs in turns by
// their weights, each frame or message on the next. Measured by the tester, queue pair by queue
// pair: frames sent and received, loss, order, reordering depth. From the DUT, labelled so: packets
// on each link from the sender's switch to other switches, with Jain's fairness index and max-mean
// ratio. Computed: the largest difference between a queue pair's share of the frames and its
// weight's share.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stats/fairness.h"
#include "suite/card/card.h"
#include "suite/card/card_procedure.h"
#include "suite/training/balancing.h"

namespace plumbline::suite {
namespace {

using bench::Entropy;
using bench::TrialResult;

constexpr Fraction kSpreadingLoad = Fraction::percent(80);
// For single frames and frames of messages alike, the payload is a multiple of four bytes.
constexpr Bytes kSpreadingFrame{254};
constexpr std::uint32_t kDefaultEntropyValues = 64;
// Turns that every queue pair has at least in a trial.
constexpr std::int64_t kRounds = 4;

struct Sweep {
  std::vector<std::uint32_t> standard_pairs;
  std::vector<std::uint32_t> quick_pairs;
  std::vector<std::string> entropy;
  std::vector<std::string> balancing;
};

// The differences between the two tests.
struct SpreadingKind {
  const char* id;
  const char* title;
  const char* pairs;  // what they are called
  bool uet;
  Sweep sweep;
};

Entropy entropyOf(const std::string& word) {
  if (word == "fixed") return Entropy::kFixed;
  if (word == "round-robin") return Entropy::kRoundRobin;
  return word == "random" ? Entropy::kRandom : Entropy::kPerQueuePair;
}

class SpreadingProcedure final : public CardProcedure {
 public:
  explicit SpreadingProcedure(SpreadingKind kind) : kind_(std::move(kind)) {}
  [[nodiscard]] std::string id() const override { return kind_.id; }
  [[nodiscard]] std::string title() const override { return kind_.title; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"share_error_percent", "link_jfi", "link_mmr", "reordered_frames", "lost_frames"};
  }

 protected:
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void reportCard(const Design& design, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override;

 private:
  [[nodiscard]] bench::Transport transportOf(const TestConfig& config) const;
  [[nodiscard]] bench::TrialSpec trialOf(const TestConfig& config, std::uint32_t pairs,
                                         const std::string& entropy) const;

  SpreadingKind kind_;
};

// The scenario's transport if it is of the test's family, else that family's default.
bench::Transport SpreadingProcedure::transportOf(const TestConfig& config) const {
  const bench::Transport own = config.scenario.traffic.format.transport;
  if (kind_.uet) return isUet(own) ? own : bench::Transport::kUetRud;
  return isRoce(own) ? own : bench::Transport::kRoceWrite;
}

bench::TrialSpec SpreadingProcedure::trialOf(const TestConfig& config, std::uint32_t pairs,
                                             const std::string& entropy) const {
  const scenario::CardParameters& own = config.scenario.parameters.card;
  bench::StreamSpec stream = streamBetween(config, config.scenario.hostPairs().front(),
                                           sizeOf(config, kSpreadingFrame).frame, kSpreadingLoad);
  stream.format.transport = transportOf(config);
  stream.format.qps = pairs;
  stream.format.entropy = entropyOf(entropy);
  if (stream.format.entropy == Entropy::kRoundRobin || stream.format.entropy == Entropy::kRandom) {
    stream.format.entropy_values = own.entropy_values.value_or(kDefaultEntropyValues);
  }
  std::int64_t turns = pairs;
  if (stream.format.transport != bench::Transport::kUetRudi &&
      stream.format.transport != bench::Transport::kUetUud) {
    bench::QueuePairSpec& list = stream.queue_pairs.emplace();
    list.counted = true;
    list.message_frames = own.message_frames.value_or(1);
    if (own.weights) {
      turns = 0;
      for (std::uint32_t i = 0; i < pairs; ++i) {
        list.weights.push_back((*own.weights)[i % own.weights->size()]);
        turns += list.weights.back();
      }
    }
    turns *= list.message_frames;
  }
  // kSpreadingLoad is 4/5: a frame every 5/4 slots.
  const Picoseconds all =
      frameSlot(stream.frame, config.bench.line_rate) * (kRounds * turns * 5 / 4);
  bench::TrialSpec spec = cardTrial(
      config, std::max(config.scenario.parameters.duration.value_or(microseconds(100)), all));
  spec.streams.push_back(std::move(stream));
  return spec;
}

Design SpreadingProcedure::design(const TestConfig& config) const {
  const scenario::Parameters& own = config.scenario.parameters;
  Design design(config);
  design.axes = {{kind_.pairs, kind_.pairs}, {"Source ports", ""}, {"Load balancing", ""}};
  design.repetitions = design.numbers.repetitions(1, 1);
  const std::vector<std::uint32_t> pairs =
      design.numbers.sweep<std::uint32_t>(kind_.pairs, kind_.sweep.standard_pairs,
                                          kind_.sweep.quick_pairs, config.scenario.traffic.qps);
  const std::vector<std::string> entropy = design.numbers.sweep(
      "Source ports", kind_.sweep.entropy, kind_.sweep.entropy, own.card.entropy);
  const std::vector<Balancing> balancing =
      balancingSweep(config, design.numbers, kind_.sweep.balancing, kind_.sweep.balancing);
  design.numbers.configure("Frame", sizeOf(config, kSpreadingFrame).label);
  design.numbers.configure("Load", percentText(kSpreadingLoad));
  design.numbers.configure("Frames of a message",
                           std::to_string(own.card.message_frames.value_or(1)));
  design.numbers.configure("Source ports, where frames share them",
                           std::to_string(own.card.entropy_values.value_or(kDefaultEntropyValues)));
  if (own.card.weights)
    design.numbers.configure("Weights", listText(valueTexts(*own.card.weights)));
  for (const std::uint32_t count : pairs) {
    for (const std::string& word : entropy) {
      for (const Balancing& strategy : balancing) {
        bench::TrialSpec spec = trialOf(config, count, word);
        applyBalancing(strategy, spec);
        design.add({std::to_string(count), word, strategy.name}, std::move(spec), 0);
      }
    }
  }
  return design;
}

// Largest difference of a queue pair's share of the frames from that of its weight [%].
std::optional<double> shareError(const SweepPoint& point, const TrialResult& trial) {
  const bench::StreamSpec& stream = point.spec.streams.front();
  const bench::StreamResult& seen = trial.streams.front();
  if (!stream.queue_pairs || seen.sent_frames == 0) return std::nullopt;
  const std::vector<std::uint32_t>& weights = stream.queue_pairs->weights;
  double total = 0;
  for (std::size_t i = 0; i < seen.queue_pairs.size(); ++i) {
    total += weights.empty() ? 1 : weights[i];
  }
  double worst = 0;
  for (std::size_t i = 0; i < seen.queue_pairs.size(); ++i) {
    const double share =
        static_cast<double>(seen.queue_pairs[i].sent) / static_cast<double>(seen.sent_frames);
    worst = std::max(worst, std::abs(share - (weights.empty() ? 1 : weights[i]) / total));
  }
  return 100 * worst;
}

// Queue pairs of which every frame arrived, once and in order.
std::optional<double> wholePairs(std::size_t, const TrialResult& trial) {
  const auto& pairs = trial.streams.front().queue_pairs;
  if (pairs.empty()) return std::nullopt;
  return static_cast<double>(std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) {
    return pair.sent > 0 && pair.received == pair.sent && pair.lost == 0 && pair.duplicate == 0 &&
           pair.out_of_order == 0;
  }));
}

std::optional<stats::Fairness> spreadOf(const SweepPoint& point, const TrialResult& trial) {
  const auto packets = uplinkPackets(point.spec, trial, point.spec.streams.front().from);
  return packets.size() < 2 ? std::nullopt : stats::fairness(packets);
}

void SpreadingProcedure::reportCard(const Design& design, const std::vector<Measured>& measured,
                                    ResultBuilder& builder) const {
  const auto stream = [](auto bench::StreamResult::*member) {
    return [member](std::size_t, const TrialResult& trial) {
      return std::optional(static_cast<double>(trial.streams.front().*member));
    };
  };
  const Figure mmr = dutFigure("MMR of uplinks", "", "link_mmr",
                               [&design](std::size_t place, const TrialResult& trial) {
                                 const auto spread = spreadOf(design.points[place], trial);
                                 return spread ? std::optional(spread->mmr) : std::nullopt;
                               });
  Figure lost = testerFigure("Lost", "frames", "lost_frames", stream(&bench::StreamResult::lost));
  lost.primary = true;
  addTable(
      design, measured,
      {testerFigure("Sent", "frames", "", stream(&bench::StreamResult::sent_frames)), lost,
       testerFigure("Out of order", "frames", "reordered_frames",
                    stream(&bench::StreamResult::out_of_order)),
       testerFigure("Reordering depth", "frames", "", stream(&bench::StreamResult::reorder_depth)),
       testerFigure("Whole and in order", kind_.pairs, "", wholePairs),
       testerFigure("Share error", "%", "share_error_percent",
                    [&design](std::size_t place, const TrialResult& trial) {
                      return shareError(design.points[place], trial);
                    }),
       mmr,
       dutFigure("JFI of uplinks", "", "link_jfi",
                 [&design](std::size_t place, const TrialResult& trial) {
                   const auto spread = spreadOf(design.points[place], trial);
                   return spread ? std::optional(spread->jfi) : std::nullopt;
                 })},
      {"spreading",
       kind_.title,
       "Whole and in order: of which every frame arrived once, in the order of its own "
       "sequence. Share error: the largest difference between a share of the frames sent and "
       "the share of its weight. Uplinks are the links from the sender's switch to other "
       "switches.",
       {},
       {}},
      builder);
  results::Chart chart;
  chart.id = "spread";
  chart.title = "Spread over the uplinks";
  chart.x_label = kind_.pairs;
  chart.y_label = "MMR";
  chart.log_x = true;
  addChart(design, measured, mmr,
           {[&design](std::size_t place) {
              return static_cast<double>(design.points[place].spec.streams.front().format.qps);
            },
            [&design](std::size_t place) {
              const std::vector<std::string>& values = design.points[place].values;
              return values[1] + ", " + values[2];
            }},
           std::move(chart), builder);
  if (builder.result().charts.back().series.empty()) builder.result().charts.pop_back();
  double all = 0;
  double gone = 0;
  for (const Measured& one : measured) {
    for (const TrialResult& trial : one.trials) {
      all += static_cast<double>(trial.streams.front().sent_frames);
      gone += lostFrames(trial);
    }
  }
  results::Quantity total;
  total.value = gone;
  total.unit = "frames";
  builder.primary("lost", total);
  builder.result().summary = fmt::format("{:.0f} frames of up to {} {} sent, {:.0f} lost.", all,
                                         measured.back().point.values.front(), kind_.pairs, gone);
}

}  // namespace

const Procedure& queuePairProcedure() {
  static const SpreadingProcedure test({.id = "rocev2-qps",
                                        .title = "RoCEv2 queue pairs",
                                        .pairs = "QPs",
                                        .uet = false,
                                        .sweep = {.standard_pairs = {1, 4, 16, 64, 256, 1024, 4096},
                                                  .quick_pairs = {1, 16, 256},
                                                  .entropy = {"per-qp", "fixed"},
                                                  .balancing = {"ecmp", "ecmp-qp"}}});
  return test;
}

const Procedure& entropyProcedure() {
  static const SpreadingProcedure test(
      {.id = "uet-entropy",
       .title = "UET entropy",
       .pairs = "PDCs",
       .uet = true,
       .sweep = {.standard_pairs = {1, 4, 16, 64, 256},
                 .quick_pairs = {1, 16},
                 .entropy = {"per-qp", "fixed", "round-robin", "random"},
                 .balancing = {"ecmp"}}});
  return test;
}

}  // namespace plumbline::suite
