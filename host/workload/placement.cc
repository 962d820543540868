#include "workload/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/random.h"

namespace plumbline::workload {
namespace {

[[noreturn]] void refuseJob(const JobSpec& job, const std::string& what,
                            const std::string& remedy) {
  throw Error(ErrorKind::kUsage, fmt::format("job '{}': {}", job.name, what), {}, remedy);
}

[[noreturn]] void refuseHost(const JobSpec& job, HostId host, std::uint32_t hosts) {
  refuseJob(job, fmt::format("host {} does not exist: the topology has {} hosts", host, hosts),
            fmt::format("0 to {}", hosts - 1));
}

// 0 to hosts-1 in steps of `stride`, then those one beyond, and so on; beginning at `first`.
std::vector<HostId> strided(HostId first, std::uint32_t stride, std::uint32_t hosts) {
  std::vector<HostId> order;
  for (std::uint32_t begin = 0; begin < std::min(stride, hosts); ++begin) {
    for (std::uint32_t host = begin; host < hosts; host += stride) {
      order.push_back((first + host) % hosts);
    }
  }
  return order;
}

std::vector<HostId> orderOf(const JobSpec& job, std::uint32_t hosts) {
  const Placement& placement = job.placement;
  switch (placement.rule) {
    case PlacementRule::kContiguous:
      return strided(placement.first, 1, hosts);
    case PlacementRule::kStrided:
      if (placement.stride == 0) refuseJob(job, "the stride is 0", "at least 1");
      return strided(placement.first, placement.stride, hosts);
    case PlacementRule::kInterleaved:
      if (placement.hosts_per_leaf == 0) refuseJob(job, "hosts_per_leaf is 0", "at least 1");
      return strided(placement.first, placement.hosts_per_leaf, hosts);
    case PlacementRule::kRandom: {
      std::vector<HostId> order(hosts);
      std::iota(order.begin(), order.end(), 0);
      RandomStream random(placement.seed, "placement/" + job.name);
      for (std::uint32_t i = hosts; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
      return order;
    }
    case PlacementRule::kExplicit:
      break;
  }
  return placement.hosts;
}

}  // namespace

std::uint32_t ranksOf(const Placement& placement) {
  return placement.rule == PlacementRule::kExplicit
             ? static_cast<std::uint32_t>(placement.hosts.size())
             : placement.ranks;
}

std::vector<std::vector<HostId>> placeJobs(const std::vector<JobSpec>& jobs, std::uint32_t hosts) {
  std::vector<std::vector<HostId>> placed;
  std::vector<bool> taken(hosts, false);
  for (const JobSpec& job : jobs) {
    const bool by_name = job.placement.rule == PlacementRule::kExplicit;
    if (!by_name && job.placement.first >= hosts) {
      refuseHost(job, job.placement.first, hosts);
    }
    std::vector<HostId>& chosen = placed.emplace_back();
    std::vector<bool> own(hosts, false);
    for (const HostId host : orderOf(job, hosts)) {
      if (!by_name && (taken[host] || chosen.size() == job.placement.ranks)) continue;
      if (host >= hosts) refuseHost(job, host, hosts);
      if (own[host]) {
        refuseJob(job, fmt::format("host {} has two ranks of this job", host), "one rank per host");
      }
      own[host] = true;
      chosen.push_back(host);
    }
    if (chosen.empty() || (!by_name && chosen.size() < job.placement.ranks)) {
      refuseJob(job,
                fmt::format("the job has {} ranks, and {} hosts are free", job.placement.ranks,
                            chosen.size()),
                "at least one rank, and a free host for each");
    }
    for (const HostId host : chosen) taken[host] = true;
  }
  return placed;
}

}  // namespace plumbline::workload
