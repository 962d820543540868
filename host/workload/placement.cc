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
      if (placement.stride == 0) refuseJob(job, "a stride of zero", "at least 1");
      return strided(placement.first, placement.stride, hosts);
    case PlacementRule::kInterleaved:
      if (placement.hosts_per_leaf == 0) refuseJob(job, "leaves without hosts", "at least 1");
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

std::vector<std::vector<HostId>> placeJobs(const std::vector<JobSpec>& jobs, std::uint32_t hosts) {
  std::vector<std::vector<HostId>> placed;
  std::vector<bool> taken(hosts, false);
  for (const JobSpec& job : jobs) {
    const bool by_name = job.placement.rule == PlacementRule::kExplicit;
    if (!by_name && job.placement.first >= hosts) {
      refuseJob(job, fmt::format("first host {} of {}", job.placement.first, hosts),
                "a host of the fabric");
    }
    std::vector<HostId>& chosen = placed.emplace_back();
    std::vector<bool> own(hosts, false);
    for (const HostId host : orderOf(job, hosts)) {
      if (!by_name && (taken[host] || chosen.size() == job.placement.ranks)) continue;
      if (host >= hosts) refuseJob(job, fmt::format("host {} of {}", host, hosts), "below that");
      if (own[host]) refuseJob(job, fmt::format("host {} twice", host), "one rank per host");
      own[host] = true;
      chosen.push_back(host);
    }
    if (chosen.empty() || (!by_name && chosen.size() < job.placement.ranks)) {
      refuseJob(job,
                fmt::format("{} of {} ranks found a free host", chosen.size(), job.placement.ranks),
                "at least one rank, and no more than hosts are free");
    }
    for (const HostId host : chosen) taken[host] = true;
  }
  return placed;
}

}  // namespace plumbline::workload
