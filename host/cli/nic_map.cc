#include "cli/nic_map.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "serving/mapping.h"

namespace plumbline::cli {

std::string nicMapText(const serving::ServingProgram& program) {
  const serving::ServingSpec& system = program.system;
  const serving::Mapping mapping(system.servers, system.model);
  const std::vector<serving::KvFlow> flows = mapping.flows({0, 0}, {0, 0}, 0);
  const std::uint64_t per_token = serving::kvBytesPerToken(system.model);
  const auto tokens =
      static_cast<std::uint64_t>(std::llround(serving::meanPrompt(program.workload)));
  const serving::MappingLoad load = serving::mappingLoad(flows, per_token, tokens);
  const auto hostOf = [&](std::uint32_t nic) {
    return program.hosts.empty() ? nic : program.hosts.at(nic);
  };
  std::string text = fmt::format("  KV cache of a request of {} tokens: {} B in {} flows\n", tokens,
                                 load.bytes, flows.size());
  for (const serving::KvFlow& flow : flows) {
    text += fmt::format(
        "    prefill rank {:2}, NIC {:3}, host {:3} -> decode rank {:2}, NIC {:3}, host {:3}: {} "
        "B\n",
        flow.from_rank, flow.from_nic, hostOf(flow.from_nic), flow.to_rank, flow.to_nic,
        hostOf(flow.to_nic), serving::flowBytes(flow, per_token, tokens));
  }
  text += fmt::format(
      "    {} sending, {} receiving NICs; the busiest receiver: {:.0f} flows, {:.3g} times the "
      "bytes "
      "of the busiest sender\n",
      load.senders.size(), load.receivers.size(), load.incast, load.concentration);
  return text;
}

}  // namespace plumbline::cli
