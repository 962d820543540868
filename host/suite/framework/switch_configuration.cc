#include "suite/framework/switch_configuration.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <variant>

#include "base/counted.h"
#include "bench/json/dut_json.h"
#include "suite/framework/numbers.h"
#include "suite/framework/profile.h"
#include "suite/training/collective.h"
#include "workload/placement.h"
#include "workload/spec_fields.h"

namespace plumbline::suite {
namespace {

std::string retryText(const fabric::LlrSpec& llr) {
  std::string text =
      fmt::format("processing of receiver {}, of sender {}", durationText(llr.receiver_processing),
                  durationText(llr.sender_processing));
  text += llr.replay_timer ? ", replay timer " + durationText(*llr.replay_timer)
                           : ", replay timer twice the longest retry of each link";
  text += llr.max_replays ? fmt::format(", replays at most {}", *llr.max_replays)
                          : ", replays without limit";
  if (llr.replay_buffer) text += fmt::format(", buffer {} B", llr.replay_buffer->count());
  if (llr.pcs_lost) {
    text += ", outages waited for up to " + durationText(*llr.pcs_lost);
  }
  if (llr.data_age) text += ", frames given up at an age of " + durationText(*llr.data_age);
  if (llr.max_replays || llr.data_age) {
    text += ", INIT every " + durationText(llr.init_interval);
  }
  return text;
}

std::string pfcText(const fabric::PfcSpec& pfc) {
  std::string text =
      fmt::format("xoff {} B, xon {} B, headroom {} B, priorities 0x{:02x}", pfc.xoff.count(),
                  pfc.xon.count(), pfc.headroom.count(), pfc.priorities);
  if (pfc.dynamic_alpha) {
    text += fmt::format(", xoff at {:.6g} of the free buffer", pfc.dynamic_alpha->toDouble());
  }
  if (pfc.quanta != fabric::PfcSpec().quanta) {
    text += fmt::format(", pauses of {} x 512 bit times", pfc.quanta);
  }
  if (pfc.response > Picoseconds()) text += ", response " + durationText(pfc.response);
  if (!pfc.watchdog) return text;
  const fabric::WatchdogSpec& watchdog = *pfc.watchdog;
  const bool drops = watchdog.action == fabric::WatchdogSpec::Action::kDrop;
  return text + fmt::format(", watchdog {} after {}, restores after {}, polls every {}",
                            drops ? "drops" : "forwards", durationText(watchdog.detection),
                            durationText(watchdog.restoration), durationText(watchdog.poll));
}

std::string cbfcText(const fabric::CbfcSpec& cbfc) {
  std::string text = fmt::format("{} credits of {} B, channels 0x{:02x}", cbfc.credits,
                                 cbfc.credit_size.count(), cbfc.channels);
  for (const fabric::VirtualChannelSpec& channel : cbfc.virtual_channels) {
    text += fmt::format(", of which 0x{:02x} share {}", channel.priorities, channel.credits);
  }
  if (cbfc.packet_overhead != 0) text += fmt::format(", {:+} B a frame", cbfc.packet_overhead);
  return text + fmt::format("; updates every {} B or {}, effective after {}",
                            cbfc.update_spacing.count(), durationText(cbfc.update_period),
                            durationText(cbfc.processing));
}

// Queueing features that are switched on.
void addQueueing(const fabric::SwitchSpec& switches, ConfigurationLines& dut) {
  for (const fabric::EcnSpec& ecn : switches.ecn) {
    dut.emplace_back(
        "ECN", fmt::format("{} to {} B, up to {:.6g} %, priorities 0x{:02x}", ecn.kmin.count(),
                           ecn.kmax.count(), 100 * ecn.pmax.toDouble(), ecn.priorities) +
                   (ecn.at_dequeue ? ", when frames leave" : ""));
  }
  if (switches.pfc) dut.emplace_back("PFC", pfcText(*switches.pfc));
  if (switches.cbfc) dut.emplace_back("CBFC", cbfcText(*switches.cbfc));
  if (switches.trim) {
    dut.emplace_back("Trimming", fmt::format("above {} B to {} B", switches.trim->threshold.count(),
                                             switches.trim->keep.count()));
  }
  if (switches.llr) dut.emplace_back("Link-level retry", retryText(*switches.llr));
}

std::string programText(const workload::TrainingProgram& program) {
  std::vector<std::string> collectives;
  for (const workload::CollectiveSpec& one : program.collectives) {
    collectives.push_back(fmt::format("{} of {}", collectiveName(one.kind),
                                      valueText(Bytes(static_cast<std::int64_t>(one.bytes)))));
  }
  std::string text = listText(collectives);
  if (program.compute > Picoseconds()) text += ", compute " + durationText(program.compute);
  return text + ", " + counted(program.iterations, "iteration");
}

std::string programText(const workload::MessageProgram& program) {
  constexpr std::array<const char*, 5> kPatterns{"pairs", "permutation", "random permutation",
                                                 "incast", "listed pairs"};
  std::string text =
      fmt::format("{}, messages of {}", kPatterns[static_cast<std::size_t>(program.pattern)],
                  valueText(Bytes(static_cast<std::int64_t>(program.bytes))));
  if (const auto* arrivals = std::get_if<workload::Arrivals>(&program.load)) {
    text += fmt::format(", one every {}{}", durationText(arrivals->interval),
                        arrivals->poisson ? " on average (Poisson)" : "");
  } else {
    text +=
        fmt::format(", {} outstanding", std::get<workload::ClosedLoop>(program.load).outstanding);
  }
  return text + (program.bidirectional ? ", bidirectional" : "");
}

std::string programText(const workload::TraceProgram& program) {
  return "trace of " + counted(program.entries.size(), "message");
}

std::string programText(const workload::MoeProgram& program) {
  return fmt::format(
      "mixture of experts, {} dispatch of {}, top {} of {}, {} routing, {} B a "
      "token "
      "({} B back), {}",
      program.mode == workload::MoeMode::kNormal ? "normal" : "low-latency",
      counted(program.tokens, "token"), program.top_k, counted(program.experts, "expert"),
      workload::moeRoutingName(program.routing), program.dispatch_bytes, program.combine_bytes,
      counted(program.layers, "layer"));
}

bool hasTiers(const fabric::TopologySpec& topology) {
  return topology.kind != fabric::TopologyKind::kLink &&
         topology.kind != fabric::TopologyKind::kSingleSwitch;
}

template <typename Value, typename Text>
std::string listed(const std::set<Value>& values, const Text& text) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const Value value : values) texts.push_back(text(value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

void addSwitchConfiguration(const fabric::SwitchSpec& switches, ConfigurationLines& lines) {
  if (switches.shared_buffer) {
    lines.emplace_back("Shared buffer",
                       fmt::format("{} B, alpha {:.6g}", switches.shared_buffer->total.count(),
                                   switches.shared_buffer->alpha.toDouble()));
  } else {
    lines.emplace_back("Buffer per port", fmt::format("{} B", switches.buffer_per_port.count()));
  }
  lines.emplace_back("Forwarding latency", durationText(switches.latency));
  lines.emplace_back("Forwarding", switches.forwarding == fabric::Forwarding::kCutThrough
                                       ? "cut-through"
                                       : "store-and-forward");
  lines.emplace_back("Load balancing",
                     std::string(bench::loadBalancingName(switches.load_balancing.kind)));
  addQueueing(switches, lines);
}

void addCableRates(const fabric::TopologySpec& topology, ConfigurationLines& lines) {
  const auto rateText = [](BitRate rate) {
    return fmt::format("{:.6g} Gb/s", rate.toGigabitsPerSecond());
  };
  if (topology.kind == fabric::TopologyKind::kGraph) {
    std::set<BitRate> rates;
    for (const auto& cable : topology.graph.cables) rates.insert(cable.rate);
    lines.emplace_back("Link rates", listed(rates, rateText));
    return;
  }
  lines.emplace_back("Link rate", rateText(topology.link_rate));
  if (hasTiers(topology) && topology.fabricRate() != topology.link_rate) {
    lines.emplace_back("Fabric link rate", rateText(topology.fabricRate()));
  }
}

void addCableDelays(const fabric::TopologySpec& topology, ConfigurationLines& lines) {
  if (topology.kind == fabric::TopologyKind::kGraph) {
    std::set<Picoseconds> delays;
    for (const auto& cable : topology.graph.cables) delays.insert(cable.delay);
    lines.emplace_back("Link delays", listed(delays, durationText));
    return;
  }
  lines.emplace_back("Host link delay", durationText(topology.host_link_delay));
  if (hasTiers(topology)) {
    lines.emplace_back("Fabric link delay", durationText(topology.fabric_link_delay));
  }
}

void addJobConfiguration(const workload::WorkloadSpec& workload, ConfigurationLines& lines) {
  for (const workload::JobSpec& job : workload.jobs) {
    lines.emplace_back(
        "Job " + job.name,
        fmt::format("{}, {}", counted(workload::ranksOf(job.placement), "rank"),
                    std::visit([](const auto& one) { return programText(one); }, job.program)));
  }
}

}  // namespace plumbline::suite
