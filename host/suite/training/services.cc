#include "suite/training/services.h"

#include <fmt/format.h>

#include <limits>
#include <variant>

namespace plumbline::suite {

bench::TransportSpec withSetup(const TestConfig& config, bench::TransportSpec transport) {
  const auto& own = config.scenario.transport;
  if (auto* roce = std::get_if<transport::RoceSpec>(&transport)) {
    if (const auto* given = own ? std::get_if<transport::RoceSpec>(&*own) : nullptr) {
      roce->setup_time = given->setup_time;
      roce->cm = given->cm;
    }
    if (!roce->cm && roce->setup_time == Picoseconds(0)) roce->cm.emplace();
  } else if (auto* uet = std::get_if<transport::UetSpec>(&transport)) {
    if (const auto* given = own ? std::get_if<transport::UetSpec>(&*own) : nullptr) {
      uet->pdc_setup = given->pdc_setup;
    }
    if (!uet->pdc_setup) uet->pdc_setup.emplace();
  }
  return transport;
}

ConnectionLimit connectionLimit(const bench::TransportSpec& transport) {
  if (const auto* uet = std::get_if<transport::UetSpec>(&transport)) {
    return {uet->max_pdcs, "transport.max_pdcs", true};
  }
  const auto& cm = std::get<transport::RoceSpec>(transport).cm;
  return {cm ? cm->max_qps : std::numeric_limits<std::uint32_t>::max(),
          "transport.connections.max_qps", false};
}

std::string setupText(const bench::TransportSpec& transport) {
  if (const auto* roce = std::get_if<transport::RoceSpec>(&transport)) {
    if (!roce->cm) return fmt::format("out of band, {}", valueText(roce->setup_time));
    return fmt::format(
        "REQ, REP and RTU over the fabric; driver and firmware of a host take {} for each of three "
        "steps, one at a time",
        valueText(roce->cm->processing));
  }
  const auto& uet = std::get<transport::UetSpec>(transport);
  return fmt::format(
      "by the first packets, without a handshake; the initiator's NIC takes {} for the context of "
      "a PDC, one at a time; at most {} PDCs without an answer, {} in all",
      valueText(uet.pdc_setup->context_time), uet.pdc_setup->max_pending, uet.max_pdcs);
}

std::optional<double> setupLimitPerSecond(const bench::TransportSpec& transport) {
  Picoseconds each;
  if (const auto* roce = std::get_if<transport::RoceSpec>(&transport)) {
    // The initiator does two of the three steps.
    if (roce->cm) each = roce->cm->processing * 2;
  } else {
    each = std::get<transport::UetSpec>(transport).pdc_setup->context_time;
  }
  if (each <= Picoseconds(0)) return std::nullopt;
  return 1 / each.toSeconds();
}

void noteHostWithoutPartner(const TestConfig& config, Numbers& numbers) {
  const std::uint32_t hosts = config.scenario.topology.hostCount();
  if (hosts % 2 == 0) return;
  numbers.deviation(fmt::format("host {} has no partner and takes no part: the DUT has {} hosts",
                                hosts - 1, hosts));
}

bench::TrialSpec serviceTrial(const TestConfig& config, const ServicePairs& pairs) {
  bench::TrialSpec spec = emptyTrial(config);
  const bool unordered =
      pairs.service == "RUD" || pairs.service == "RUDI" || pairs.service == "UUD";
  applyVariant(serviceVariant(config, pairs.service, balancingOf(unordered ? "spray" : "ecmp")),
               spec);
  if (pairs.sets_up) spec.transport = withSetup(config, *spec.transport);
  workload::JobSpec job;
  job.name = pairs.service;
  job.flows = pairs.flows;
  job.flow_use = pairs.flow_use;
  job.placement.rule = workload::PlacementRule::kExplicit;
  // Fewer pairs than half the hosts are spread over the leaves.
  const std::uint32_t half = config.scenario.topology.hostCount() / 2;
  const std::uint32_t stride = std::max(half / pairs.pairs, 1U);
  for (std::uint32_t i = 0; i < pairs.pairs; ++i) {
    job.placement.hosts.push_back(i * stride);
    job.placement.hosts.push_back(half + i * stride);
  }
  workload::MessageProgram program;
  program.pattern = workload::Pattern::kPairs;
  program.bidirectional = pairs.bidirectional;
  program.bytes = static_cast<std::uint64_t>(pairs.message.count());
  if (pairs.interval > Picoseconds(0)) {
    program.load = workload::Arrivals{.interval = pairs.interval};
  } else {
    program.load = workload::ClosedLoop{pairs.outstanding};
  }
  program.messages = pairs.messages;
  job.program = program;
  spec.workload->jobs.push_back(std::move(job));
  return spec;
}

double serviceHops(const TestConfig& config, const ServicePairs& pairs) {
  return messageHops(
      config, pairs.message,
      static_cast<double>(pairs.messages) * pairs.pairs * (pairs.bidirectional ? 2 : 1));
}

}  // namespace plumbline::suite
