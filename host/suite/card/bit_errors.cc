// bit-errors: frames damaged on purpose, and how the receiving port counts each.
//
// Swept: kinds of damage, one rule each, and random errors of some ratios. A stream at
// kBitErrorLoad of line rate goes from the first pair's sender to its receiver; damage happens
// after the sender's FCS, or at the receiver's input ("arrival-…"); PAUSE frames come from the
// other end. The last frames of a trial are undamaged, so that missing frames before them are
// detected. Measured: damaged frames as the damaging port counts them; bad frames at the receiver,
// by the counter for the kind. On a DUT that checks frames itself, its discards count instead.
// Computed: injected - detected - undetectable, which must be zero. Only a lost PAUSE frame cannot
// be detected at all, as it has no sequence number; a damaged frame with more than three wrong bits
// escapes the FCS with probability 2^-32 (docs/errors.md).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "card/rate.h"
#include "suite/card/card.h"
#include "suite/card/card_procedure.h"

namespace plumbline::suite {
namespace {

using bench::TrialResult;
using card::DamageDirection;
using card::DamageKind;
using card::DamageMatch;
using card::DamageRule;

constexpr Fraction kBitErrorLoad = Fraction::percent(80);
constexpr Bytes kBitErrorFrame{512};
constexpr Bytes kOversize{9300};
constexpr std::uint32_t kMinUndamagedTail = 20;  // frames at the end that stay whole
constexpr std::uint32_t kDefaultInterval = 10;
constexpr std::uint32_t kDefaultPauses = 100;
constexpr std::size_t kLogRows = 3;  // of each point

// Where a kind of damage is seen.
struct DamageSeen {
  const char* word;
  const char* name;
  const char* shows;  // in words
  DamageRule rule;
  DamageDirection direction = DamageDirection::kSent;
  bool pfc = false;  // strikes PAUSE frames, not the stream
  std::uint64_t (*detected)(const bench::PortResult& port,
                            const bench::StreamResult& stream) = nullptr;
  const char* undetectable = nullptr;  // why none of it can be detected
};

std::uint64_t fcsErrors(const bench::PortResult& port, const bench::StreamResult&) {
  return port.fcs_errors;
}
std::uint64_t runts(const bench::PortResult& port, const bench::StreamResult&) {
  return port.runts;
}
std::uint64_t giants(const bench::PortResult& port, const bench::StreamResult&) {
  return port.giants;
}
std::uint64_t badIcrc(const bench::PortResult&, const bench::StreamResult& stream) {
  return stream.bad_icrc;
}
std::uint64_t missing(const bench::PortResult&, const bench::StreamResult& stream) {
  return stream.lost;
}

const std::vector<DamageSeen>& kinds() {
  constexpr auto kArrival = DamageDirection::kReceived;
  constexpr DamageMatch kStream = DamageMatch::kFlow;
  constexpr DamageMatch kControl = DamageMatch::kControl;
  static const std::vector<DamageSeen> all{
      {.word = "bit",
       .name = "one bit",
       .shows = "FCS error",
       .rule = {.kind = DamageKind::kBits, .match = kStream, .offset = 400},
       .detected = fcsErrors},
      {.word = "bits",
       .name = "a run of 17 bits",
       .shows = "FCS error",
       .rule = {.kind = DamageKind::kBits, .match = kStream, .offset = 333, .bits = 17},
       .detected = fcsErrors},
      {.word = "fcs",
       .name = "FCS",
       .shows = "FCS error",
       .rule = {.kind = DamageKind::kFcs, .match = kStream, .mask = 0x8000'0001},
       .detected = fcsErrors},
      {.word = "icrc",
       .name = "ICRC, right FCS",
       .shows = "ICRC error",
       .rule = {.kind = DamageKind::kIcrc, .match = kStream, .mask = 0x0010'0000},
       .detected = badIcrc},
      {.word = "cut",
       .name = "cut to 64 bytes",
       .shows = "FCS error",
       .rule = {.kind = DamageKind::kTruncate, .match = kStream, .bytes = 64},
       .detected = fcsErrors},
      {.word = "runt",
       .name = "cut to 40 bytes",
       .shows = "runt",
       .rule = {.kind = DamageKind::kTruncate, .match = kStream, .bytes = 40},
       .detected = runts},
      {.word = "drop",
       .name = "dropped",
       .shows = "gap in the sequence",
       .rule = {.kind = DamageKind::kDrop, .match = kStream},
       .detected = missing},
      {.word = "oversize", .name = "9300 bytes", .shows = "giant", .rule = {}, .detected = giants},
      {.word = "pfc-bit",
       .name = "PAUSE, one bit",
       .shows = "FCS error",
       .rule = {.kind = DamageKind::kBits, .match = kControl, .offset = 160},
       .pfc = true,
       .detected = fcsErrors},
      {.word = "pfc-drop",
       .name = "PAUSE, dropped",
       .shows = "nothing",
       .rule = {.kind = DamageKind::kDrop, .match = kControl},
       .pfc = true,
       .undetectable = "a PAUSE frame has no sequence number"},
      {.word = "arrival-bit",
       .name = "one bit, on arrival",
       .shows = "FCS error",
       .rule = {.kind = DamageKind::kBits, .match = DamageMatch::kAny, .offset = 400},
       .direction = kArrival,
       .detected = fcsErrors},
      {.word = "arrival-cut",
       .name = "cut to 40 bytes, on arrival",
       .shows = "runt",
       .rule = {.kind = DamageKind::kTruncate, .match = DamageMatch::kAny, .bytes = 40},
       .direction = kArrival,
       .detected = runts},
      {.word = "arrival-drop",
       .name = "dropped on arrival",
       .shows = "gap in the sequence",
       .rule = {.kind = DamageKind::kDrop, .match = DamageMatch::kAny},
       .direction = kArrival,
       .detected = missing},
  };
  return all;
}

const DamageSeen& kindOf(const std::string& word) {
  return *std::find_if(kinds().begin(), kinds().end(),
                       [&](const DamageSeen& kind) { return word == kind.word; });
}

const DamageSeen& randomKind() {
  static const DamageSeen kind{
      .word = "", .name = "", .shows = "FCS error", .rule = {}, .detected = fcsErrors};
  return kind;
}

// The damage of one point: a kind, or random errors.
struct Injection {
  const DamageSeen& kind;
  std::optional<double> ratio;
};

class BitErrorProcedure final : public CardProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "bit-errors"; }
  [[nodiscard]] std::string title() const override { return "Damage on purpose"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"injected_errors", "unexplained_errors", "error_ratio_sigma"};
  }

 protected:
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void reportCard(const Design& design, const std::vector<Measured>& measured,
                  ResultBuilder& builder) const override;
};

bench::TrialSpec trialOf(const TestConfig& config, const Injection& injection,
                         Picoseconds duration) {
  const scenario::CardParameters& own = config.scenario.parameters.card;
  const scenario::HostPair pair = config.scenario.hostPairs().front();
  const bool oversize = injection.kind.word == std::string("oversize");
  const Bytes frame = oversize ? kOversize : sizeOf(config, kBitErrorFrame).frame;
  bench::TrialSpec spec = cardTrial(config, duration);
  spec.streams.push_back(streamBetween(config, pair, frame, kBitErrorLoad));
  spec.obey_pfc = 0;
  if (oversize) return spec;
  bench::DamageSpec damage;
  damage.direction = injection.kind.direction;
  damage.host = damage.direction == DamageDirection::kSent ? pair.from : pair.to;
  if (injection.ratio) {
    damage.what = card::BitErrors{*injection.ratio, config.scenario.seed};
  } else {
    DamageRule rule = injection.kind.rule;
    rule.step = own.damage_every.value_or(kDefaultInterval);
    std::uint64_t frames = card::framesWithin(
        duration, card::framePeriod(frame, config.bench.line_rate, kBitErrorLoad));
    if (injection.kind.pfc) {
      frames = own.storm_frames.value_or(kDefaultPauses);
      // From the other end, which sends no other frames.
      damage.host = pair.to;
      spec.storms.push_back({.host = pair.to,
                             .frame = {.priorities = 1, .quanta = 1},
                             .frames = static_cast<std::uint32_t>(frames),
                             .period = duration / static_cast<std::int64_t>(frames + 1)});
    }
    rule.last =
        static_cast<std::uint32_t>(frames > kMinUndamagedTail ? frames - kMinUndamagedTail : 0);
    damage.what = rule;
  }
  spec.damage.push_back(damage);
  return spec;
}

std::string ratioText(double ratio) { return fmt::format("random, {:g} per bit", ratio); }

Design BitErrorProcedure::design(const TestConfig& config) const {
  const scenario::CardParameters& own = config.scenario.parameters.card;
  const bool icrc = isRoce(config.scenario.traffic.format.transport);
  Design design(config);
  design.axes = {{"Damage", ""}};
  design.repetitions = design.numbers.repetitions(1, 1);
  const std::vector<std::string> words(scenario::kDamageWords.begin(),
                                       scenario::kDamageWords.end());
  const std::vector<std::string> swept =
      design.numbers.sweep("Kinds of damage", words, words, own.damage,
                           [&](const std::string& word) { return icrc || word != "icrc"; });
  const std::vector<double> ratios = own.error_ratios.value_or(
      design.numbers.isStandard() ? std::vector{1e-7, 1e-6, 1e-5, 1e-4, 1e-3}
                                  : std::vector{1e-5, 1e-4, 1e-3});
  const Picoseconds duration = design.numbers.atLeast(
      "Trial duration", milliseconds(5), microseconds(200), config.scenario.parameters.duration);
  design.numbers.configure("Load", percentText(kBitErrorLoad));
  design.numbers.configure("Frame", sizeOf(config, kBitErrorFrame).label);
  design.numbers.configure(
      "Damaged by a rule",
      fmt::format("every {}th frame", own.damage_every.value_or(kDefaultInterval)));
  for (const std::string& word : swept) {
    if (word == "icrc" && !icrc) {
      design.refusals.emplace_back("only RoCEv2 frames have an ICRC: traffic.transport");
      return design;
    }
    const DamageSeen& kind = kindOf(word);
    design.add({kind.name}, trialOf(config, {kind, {}}, duration), 0);
  }
  for (const double ratio : ratios) {
    design.add({ratioText(ratio)}, trialOf(config, {randomKind(), ratio}, duration), 0);
  }
  return design;
}

// The damage of a point, from its trial.
Injection injectionOf(const SweepPoint& point) {
  if (!point.spec.damage.empty()) {
    if (const auto* errors = std::get_if<card::BitErrors>(&point.spec.damage.front().what)) {
      return {randomKind(), errors->ratio};
    }
  }
  const auto kind = std::find_if(kinds().begin(), kinds().end(), [&](const DamageSeen& candidate) {
    return point.values.front() == candidate.name;
  });
  return {*kind, {}};
}

const bench::DamageOutcome* outcomeOf(const SweepPoint& point, const TrialResult& trial) {
  if (point.spec.damage.empty()) return nullptr;
  const bench::DamageSpec& damage = point.spec.damage.front();
  const bench::PortResult& port = trial.ports.at(damage.host);
  const auto& outcome =
      damage.direction == DamageDirection::kSent ? port.damage_sent : port.damage_received;
  return outcome ? &*outcome : nullptr;
}

double injected(const SweepPoint& point, const TrialResult& trial) {
  const bench::DamageOutcome* outcome = outcomeOf(point, trial);
  // Frames that are too long are sent so; every one of them counts as damage.
  return static_cast<double>(outcome != nullptr ? outcome->counters.frames
                                                : trial.streams.front().sent_frames);
}

double detected(const SweepPoint& point, const TrialResult& trial) {
  const Injection injection = injectionOf(point);
  if (injection.kind.detected == nullptr) return 0;
  const bench::StreamSpec& stream = point.spec.streams.front();
  // PAUSE frames go against the stream.
  const std::uint32_t from = injection.kind.pfc ? stream.to : stream.from;
  const std::uint32_t to = injection.kind.pfc ? stream.from : stream.to;
  return static_cast<double>(injection.kind.detected(trial.ports.at(to), trial.streams.front()) +
                             trial.ports.at(from).dut_discarded);
}

double undetectable(const SweepPoint& point, const TrialResult& trial) {
  return injectionOf(point).kind.undetectable != nullptr ? injected(point, trial) : 0;
}

// Bits of frames that random errors could have struck.
double bitsPassed(const SweepPoint& point, const TrialResult& trial) {
  return static_cast<double>(trial.ports.at(point.spec.damage.front().host).tx_bytes) * 8;
}

results::Table logTable(const std::vector<Measured>& measured) {
  results::Table table{"log",
                       "Beginning of the damage log",
                       "The first entries of each point. Times are those of the frame at the port, "
                       "after the common start; the position is the first damaged bit, of a cut "
                       "frame the bytes that are left.",
                       {"Damage", "Frame", "Position", "Time [us]"},
                       {}};
  for (const Measured& one : measured) {
    const bench::DamageOutcome* outcome = outcomeOf(one.point, one.trials.front());
    if (outcome == nullptr) continue;
    for (std::size_t i = 0; i < std::min(kLogRows, outcome->log.size()); ++i) {
      const card::DamageEvent& event = outcome->log[i];
      table.rows.push_back({one.point.label, std::to_string(event.number),
                            std::to_string(event.position),
                            fmt::format("{:.6f}", event.time.toMicroseconds())});
    }
  }
  return table;
}

void addRandomErrors(const Design& design, const std::vector<Measured>& measured,
                     ResultBuilder& builder) {
  std::vector<Measured> random;
  for (const Measured& one : measured) {
    if (injectionOf(one.point).ratio) random.push_back(one);
  }
  if (random.empty()) return;
  const auto ratioOf = [&design](std::size_t place) {
    return *injectionOf(design.points[place]).ratio;
  };
  const Figure realised = testerFigure(
      "Realised ratio", "", "", [&design](std::size_t place, const TrialResult& trial) {
        const SweepPoint& point = design.points[place];
        return std::optional(static_cast<double>(outcomeOf(point, trial)->counters.random_bits) /
                             bitsPassed(point, trial));
      });
  // Errors are independent, so their number scatters by its square root.
  const Figure deviation = testerFigure(
      "Deviation", "standard deviations", "error_ratio_sigma",
      [&design, ratioOf](std::size_t place, const TrialResult& trial) {
        const SweepPoint& point = design.points[place];
        const double expected = ratioOf(place) * bitsPassed(point, trial);
        return std::optional(
            std::abs(static_cast<double>(outcomeOf(point, trial)->counters.random_bits) -
                     expected) /
            std::sqrt(expected));
      });
  addTable(design, random,
           {testerFigure("Wrong bits", "", "",
                         [&design](std::size_t place, const TrialResult& trial) {
                           return std::optional(static_cast<double>(
                               outcomeOf(design.points[place], trial)->counters.random_bits));
                         }),
            realised, deviation},
           {"random",
            "Random errors",
            "The deviation of the number of wrong bits from ratio × bits sent, in standard "
            "deviations of that number.",
            {},
            {}},
           builder);
  results::Chart chart;
  chart.id = "bit_error_ratio";
  chart.title = "Bit error ratio";
  chart.x_label = "Commanded ratio";
  chart.y_label = "Realised ratio";
  chart.log_x = chart.log_y = true;
  results::Series same{"as commanded", {}, {}, true};
  for (const Measured& one : random) {
    same.x.push_back(*injectionOf(one.point).ratio);
    same.y.push_back(same.x.back());
  }
  addChart(design, random, realised, {ratioOf, [](std::size_t) { return "realised"; }},
           std::move(chart), builder);
  builder.result().charts.back().series.push_back(std::move(same));
}

void BitErrorProcedure::reportCard(const Design& design, const std::vector<Measured>& measured,
                                   ResultBuilder& builder) const {
  const auto of = [&design](double (*value)(const SweepPoint&, const TrialResult&)) {
    return [&design, value](std::size_t place, const TrialResult& trial) {
      return std::optional(value(design.points[place], trial));
    };
  };
  Figure unexplained =
      testerFigure("Unexplained", "frames", "unexplained_errors",
                   [&design](std::size_t place, const TrialResult& trial) {
                     const SweepPoint& point = design.points[place];
                     return std::optional(std::abs(injected(point, trial) - detected(point, trial) -
                                                   undetectable(point, trial)));
                   });
  unexplained.primary = true;
  addTable(design, measured,
           {testerFigure("Injected", "frames", "injected_errors", of(injected)),
            testerFigure("Detected", "frames", "", of(detected)),
            testerFigure("Undetectable", "frames", "", of(undetectable)), unexplained,
            testerFigure("Stream frames lost", "frames", "",
                         [](std::size_t, const TrialResult& trial) {
                           return std::optional(lostFrames(trial));
                         })},
           {"errors",
            "Injected and detected",
            "Injected is counted by the port that does the damage, detected by the receiving port "
            "in the counter that the kind must show in, or thrown away by the DUT for its FCS.",
            {},
            {}},
           builder);
  results::Table where{"where",
                       "Where each kind shows",
                       "A damaged frame with more than three wrong bits escapes the FCS with "
                       "probability 2^-32.",
                       {"Damage", "Shows as", "Undetectable because"},
                       {}};
  double all = 0;
  double open = 0;
  for (const Measured& one : measured) {
    const DamageSeen& kind = injectionOf(one.point).kind;
    where.rows.push_back({one.point.label, std::string(kind.shows),
                          std::string(kind.undetectable != nullptr ? kind.undetectable : "-")});
    for (const TrialResult& trial : one.trials) {
      all += injected(one.point, trial);
      open += unexplained.of(placeOf(design, one), trial)->value;
    }
  }
  builder.result().tables.push_back(std::move(where));
  addRandomErrors(design, measured, builder);
  builder.result().tables.push_back(logTable(measured));
  results::Quantity total;
  total.value = open;
  total.unit = "frames";
  builder.primary("unexplained", total);
  builder.result().summary = fmt::format(
      "{:.0f} frames damaged; {:.0f} of them are neither detected nor listed as "
      "undetectable.",
      all, open);
}

}  // namespace

const Procedure& bitErrorProcedure() {
  static const BitErrorProcedure test;
  return test;
}

}  // namespace plumbline::suite
