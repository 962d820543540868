// T6.5b Packet trimming (training draft, section 6.5, second part).
//
// 2:1 oversubscription: two senders at line rate to one receiver over UET RUD with a fixed window
// of eight bandwidth-delay products, so that the queue overflows; PFC off. With trimming and
// without it, where an overflowing packet is dropped whole and detected by the gap or the timeout.
// Measured: time until the messages are done; packets trimmed, dropped, retransmitted; time from
// the first packet that overflows to the first NACK at a sender and to the first retransmission;
// bytes on all links, and the share that trimming saves.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "suite/framework/fabric_metrics.h"
#include "suite/training/incast.h"
#include "suite/training/training.h"

namespace plumbline::suite {
namespace {

constexpr double kWindow = 8;  // bandwidth-delay products of each sender
// Of two senders at line rate half overflows, so that it crosses most of its path twice.
constexpr double kSentAgain = 1.75;

class TrimmingProcedure final : public FabricProcedure {
 public:
  [[nodiscard]] std::string id() const override { return "T6.5b"; }
  [[nodiscard]] std::string title() const override { return "Packet trimming"; }
  [[nodiscard]] std::vector<std::string> kpis() const override {
    return {"bandwidth_saved_percent",
            "time_saved_percent",
            "first_request_us",
            "first_retransmission_us",
            "goodput_gbps",
            "completion_us",
            "retransmission_percent",
            "resent_bytes",
            "trimmed_packets",
            "drop_ppm",
            "fabric_drops_ppm",
            "trimmed_ppm",
            "dropped_packets",
            "timeouts"};
  }

 protected:
  [[nodiscard]] std::string section() const override { return "section 6.5, trimming"; }
  [[nodiscard]] Design design(const TestConfig& config) const override;
  void report(const TestConfig& config, const Design& design, const std::vector<Measured>& measured,
              ResultBuilder& builder) const override;

 private:
  static Incast incastOf(const TestConfig& config, Numbers& numbers);
};

Incast TrimmingProcedure::incastOf(const TestConfig& config, Numbers& numbers) {
  constexpr std::int64_t kMiB = 1 << 20;
  Variant variant = serviceVariant(config, "RUD", balancingOf("spray"));
  auto& uet = std::get<transport::UetSpec>(variant.transport);
  uet.congestion_control = transport::UetCongestionControl::kNone;
  uet.fixed_window = kWindow;
  Incast incast{std::move(variant)};
  incast.senders = 2;
  incast.message = numbers.sweep<Bytes>("Message of every sender", {Bytes(64 * kMiB)},
                                        {Bytes(4 * kMiB)}, config.scenario.parameters.sizes)[0];
  return incast;
}

Design TrimmingProcedure::design(const TestConfig& config) const {
  Design design(config);
  design.axes = {{"Overflowing packets are", ""}};
  if (!config.scenario.switches.trim) {
    design.refusals.emplace_back("the DUT does not trim: dut.switch.trim");
    return design;
  }
  const Incast incast = incastOf(config, design.numbers);
  if (!std::get<transport::UetSpec>(incast.variant.transport).trimming) {
    design.refusals.emplace_back(
        "the transport's packets are not to be trimmed: transport.trimming");
    return design;
  }
  design.numbers.configure(
      "Congestion control",
      fmt::format("none: a fixed window of {} bandwidth-delay products", kWindow));
  design.numbers.configure("Trimming runs in", "switch hardware (modelled)");
  design.repetitions = design.numbers.repetitions(20, 2);
  design.hop_cost = 0.95;
  if (auto why = incastRefusal(config, incast)) {
    design.refusals.push_back(*std::move(why));
    return design;
  }
  for (const bool trims : {true, false}) {
    bench::TrialSpec spec = incastTrial(config, incast);
    spec.dut.switches.pfc.reset();
    // The same memory for a port, and no more, whether or not it trims: data has `threshold` of it
    // with trimming, and all of it without.
    spec.dut.switches.shared_buffer.reset();
    spec.dut.switches.buffer_per_port =
        config.scenario.switches.trim->threshold + config.scenario.switches.trim->limit;
    if (!trims) spec.dut.switches.trim.reset();
    spec.loss_times = true;
    design.add({trims ? "trimmed" : "dropped"}, std::move(spec),
               kSentAgain * incastHops(config, incast));
  }
  return design;
}

// Notes why trimming cannot be compared with full drops: in a repetition one of the two did not
// happen. Whether there is such a reason.
bool noteNoOverflow(const fabric::TrimSpec& trim, const std::vector<Measured>& measured,
                    ResultBuilder& builder) {
  bool any = false;
  const auto look = [&](const Measured& one, const char* what, const std::string& room,
                        std::uint64_t (*overflown)(const fabric::LinkCounters&)) {
    const auto without = std::count_if(
        one.trials.begin(), one.trials.end(),
        [&](const bench::TrialResult& trial) { return overflown(trial.fabric->total) == 0; });
    if (without == 0) return;
    any = true;
    builder.anomaly(
        fmt::format("savings of trimming not observed: no packet was {} in {} of {} repetitions, "
                    "since no queue exceeded {}. Raise parameters.sizes, or lower dut.switch.trim",
                    what, without, one.trials.size(), room),
        one.point.label);
  };
  look(measured[0], "trimmed", "its threshold of " + valueText(trim.threshold),
       [](const fabric::LinkCounters& total) { return total.trimmed; });
  look(measured[1], "dropped",
       "its room, threshold and limit of " + valueText(trim.threshold + trim.limit),
       [](const fabric::LinkCounters& total) { return total.dropped(); });
  return any;
}

void TrimmingProcedure::report(const TestConfig& config, const Design& design,
                               const std::vector<Measured>& measured,
                               ResultBuilder& builder) const {
  Figure time{.column = "Time",
              .unit = "us",
              .kpi = "completion_us",
              .of = [](std::size_t, const bench::TrialResult& trial) {
                return busyTime(trial).toMicroseconds();
              }};
  time.primary = true;
  const Figure again =
      figure("Sent again", "B", "resent_bytes", [](const bench::TrialResult& trial) {
        const auto& stats = trial.fabric->endpoints;
        return stats.data_sent == 0 ? kNotMeasured
                                    : static_cast<double>(stats.bytes_sent) *
                                          static_cast<double>(stats.retransmitted) /
                                          static_cast<double>(stats.data_sent);
      });
  // From the first packet that a switch trimmed or dropped.
  const auto since = [](Picoseconds bench::LossTimes::*event) {
    return [event](std::size_t, const bench::TrialResult& trial) -> std::optional<double> {
      const bench::LossTimes& times = *trial.fabric->loss_times;
      if (times.overflow == fabric::kNever || times.*event == fabric::kNever) return std::nullopt;
      return (times.*event - times.overflow).toMicroseconds();
    };
  };
  const Figure request{.column = "Onset to first request",
                       .unit = "us",
                       .kpi = "first_request_us",
                       .of = since(&bench::LossTimes::nack),
                       .absent = "none is sent"};
  const Figure resent{.column = "Onset to first retransmission",
                      .unit = "us",
                      .kpi = "first_retransmission_us",
                      .of = since(&bench::LossTimes::resent)};
  const bool compared =
      measured.size() == 2 && !noteNoOverflow(*config.scenario.switches.trim, measured, builder);
  // Savings belong to the row with trimming.
  const auto hidden = [compared](std::size_t point) { return point == 0 && !compared; };
  // On all links, retransmissions and control included; the payload is the same at every point.
  const auto linkBytes = [](const bench::TrialResult& trial) {
    return static_cast<double>(trial.fabric->total.wireBytes());
  };
  const Figure bytes{
      .column = "On all links",
      .unit = "B",
      .kpi = "",
      .of = [linkBytes](std::size_t, const bench::TrialResult& trial) { return linkBytes(trial); }};
  const Figure saved{.column = "Bandwidth saved",
                     .unit = "%",
                     .kpi = "bandwidth_saved_percent",
                     .hidden = hidden,
                     .paired = [&](std::size_t i, std::size_t repetition,
                                   const bench::TrialResult& trial) -> std::optional<double> {
                       if (i != 0) return std::nullopt;
                       return 100 *
                              (1 - linkBytes(trial) / linkBytes(measured[1].trials.at(repetition)));
                     }};
  const Figure sooner{.column = "Time saved",
                      .unit = "%",
                      .kpi = "time_saved_percent",
                      .hidden = hidden,
                      .paired = [&](std::size_t i, std::size_t repetition,
                                    const bench::TrialResult& trial) -> std::optional<double> {
                        if (i != 0) return std::nullopt;
                        return 100 *
                               (1 - busyTime(trial).toSeconds() /
                                        busyTime(measured[1].trials.at(repetition)).toSeconds());
                      }};
  addTable(
      design, measured,
      {time, request, resent, bytes, saved, sooner,
       figure("Trimmed", "packets", "trimmed_packets",
              [](const bench::TrialResult& trial) {
                return static_cast<double>(trial.fabric->total.trimmed);
              }),
       figure("Dropped", "packets", "dropped_packets",
              [](const bench::TrialResult& trial) {
                return static_cast<double>(trial.fabric->total.dropped());
              }),
       figure("Lost end to end", "ppm", "drop_ppm", dropPpm),
       figure("Dropped, per packet sent", "ppm", "fabric_drops_ppm", fabricDropsPpm),
       figure("Trimmed, per packet sent", "ppm", "trimmed_ppm", trimmedPpm),
       figure("Retransmitted", "%", "retransmission_percent", retransmissionPercent), again,
       figure("Timeouts", "", "timeouts", timeouts),
       figure("Goodput", "Gb/s", "goodput_gbps", goodputGbps)},
      {"trimming",
       "Two senders to one receiver",
       "Time until both messages are done. Onset is the time at which a switch first trims or "
       "drops a packet. The first request is the first NACK at a sender; a dropped packet causes "
       "no NACK, and its sender detects the loss by later acknowledgements or the timeout. "
       "Bandwidth saved is the reduction against full drops of the bytes on all links, preambles "
       "and gaps included, for the same payload. Time saved is the reduction of the time until "
       "both messages are done. Sent again are the retransmitted packets times "
       "the mean length of all data frames.",
       {},
       {}},
      builder);
  if (measured.size() != 2) return;
  const results::Quantity trimmed = *meanOf(design, measured[0], time);
  builder.primary("time with trimming", trimmed);
  const auto overflowed = [](const bench::TrialResult& trial) {
    return trial.fabric->total.trimmed + trial.fabric->total.dropped() > 0;
  };
  const bool idle = std::none_of(measured.begin(), measured.end(), [&](const Measured& one) {
    return std::any_of(one.trials.begin(), one.trials.end(), overflowed);
  });
  builder.result().summary =
      fmt::format("With trimming the messages take {}, with full drops {}{}.",
                  builder.text(trimmed), builder.text(*meanOf(design, measured[1], time)),
                  idle ? ": no packet was trimmed or dropped" : "");
}

}  // namespace

const Procedure& trimmingProcedure() {
  static const TrimmingProcedure test;
  return test;
}

}  // namespace plumbline::suite
