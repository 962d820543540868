#include "serving/program.h"

#include <fmt/format.h>

#include <set>

#include "base/counted.h"
#include "base/error.h"
#include "serving/mapping.h"

namespace plumbline::serving {
namespace {

constexpr std::uint32_t kMaxQueuePairs = 256;

}  // namespace

void check(const ServingProgram& program) {
  check(program.system);
  check(program.workload, false);
  if (program.queue_pairs == 0 || program.queue_pairs > kMaxQueuePairs) {
    throw Error(ErrorKind::kUsage, fmt::format("{} queue pairs", program.queue_pairs),
                "queue_pairs", fmt::format("1 to {}", kMaxQueuePairs));
  }
  const std::uint32_t nics = Mapping(program.system.servers, program.system.model).nics();
  if (!program.hosts.empty() && program.hosts.size() != nics) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{} for {}", counted(program.hosts.size(), "host"), counted(nics, "NIC")),
        "hosts", "as many as NICs");
  }
  const std::set<std::uint32_t> different(program.hosts.begin(), program.hosts.end());
  if (different.size() != program.hosts.size()) {
    throw Error(ErrorKind::kUsage, "a host is named twice", "hosts", "each host once");
  }
}

}  // namespace plumbline::serving
