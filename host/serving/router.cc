#include "serving/router.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/error.h"

namespace plumbline::serving {
namespace {

// The worker with the lowest cost. Equal ones take turns: always taking the first would load one
// idle worker while the others stay empty.
template <typename Cost>
std::uint32_t lowest(std::uint32_t workers, std::uint64_t& turn, const Cost& cost) {
  const auto first = static_cast<std::uint32_t>(turn++ % workers);
  std::uint32_t best = first;
  double best_cost = std::numeric_limits<double>::infinity();
  for (std::uint32_t i = 0; i < workers; ++i) {
    const std::uint32_t worker = (first + i) % workers;
    const double here = cost(worker);
    if (here < best_cost) {
      best = worker;
      best_cost = here;
    }
  }
  return best;
}

bool remembersPrefixes(RouterPolicy policy) {
  return policy == RouterPolicy::kKvAware || policy == RouterPolicy::kPrefixAware ||
         policy == RouterPolicy::kCongestionAware;
}

}  // namespace

void check(const RouterSpec& spec) {
  const auto refuse = [](const char* what, const char* where, const char* remedy) {
    throw Error(ErrorKind::kUsage, what, where, remedy);
  };
  if (!(spec.weight >= 0 && spec.weight <= 1e6)) {
    refuse("the router's weight is out of range", "weight", "0 to 10^6");
  }
  if (!(spec.threshold >= 0 && spec.threshold <= 1)) {
    refuse("the share of a prompt is out of range", "threshold", "0 to 1");
  }
  if (!(spec.balance_abs >= 0) || !(spec.balance_rel >= 1)) {
    refuse("the router's balance is out of range", "balance", "0 or more, and 1 or more");
  }
  if (std::min({spec.signal_interval, spec.staleness, spec.memory, spec.delay}) < Picoseconds()) {
    refuse("the router has a negative delay", "router", "0 s or more");
  }
  if (spec.prefill == RouterPolicy::kCongestionAware) {
    refuse("a prefill worker is chosen before the path is known", "prefill",
           "congestion-aware for decode workers only");
  }
}

void PrefixMemory::add(std::span<const std::uint64_t> hashes, std::uint32_t worker,
                       Picoseconds now) {
  for (const std::uint64_t hash : hashes) {
    std::vector<Route>& routes = routes_[hash];
    const auto same = std::find_if(routes.begin(), routes.end(),
                                   [&](const Route& route) { return route.worker == worker; });
    if (same != routes.end()) {
      same->time = now;
    } else {
      routes.push_back({worker, now});
    }
  }
  if (routes_.size() >= forget_at_) forget(now);
}

// Drops old entries; the remaining ones may double before the next time.
void PrefixMemory::forget(Picoseconds now) {
  for (auto entry = routes_.begin(); entry != routes_.end();) {
    std::erase_if(entry->second, [&](const Route& route) { return route.time + lifetime_ < now; });
    entry = entry->second.empty() ? routes_.erase(entry) : std::next(entry);
  }
  forget_at_ = std::max(forget_at_, 2 * routes_.size());
}

std::vector<std::uint32_t> PrefixMemory::cached(std::span<const std::uint64_t> hashes,
                                                std::uint32_t workers, Picoseconds now) const {
  std::vector<std::uint32_t> counts(workers, 0);
  std::uint32_t depth = 0;
  for (const std::uint64_t hash : hashes) {
    const auto routes = routes_.find(hash);
    if (routes == routes_.end()) break;
    for (const Route& route : routes->second) {
      const bool fresh = route.time + lifetime_ >= now;
      if (fresh && counts[route.worker] == depth) counts[route.worker] = depth + 1;
    }
    ++depth;
  }
  return counts;
}

Router::Router(const RouterSpec& spec, std::uint32_t prefill, std::uint32_t decode,
               std::uint64_t seed)
    : spec_(spec),
      prefill_{spec.prefill,
               prefill,
               prefill,
               0,
               RandomStream(seed, "serving/router/prefill"),
               PrefixMemory(spec.memory)},
      decode_{spec.decode,
              decode,
              decode,
              0,
              RandomStream(seed, "serving/router/decode"),
              PrefixMemory(spec.memory)} {
  check(spec);
  if (spec.decode == RouterPolicy::kCongestionAware) {
    paths_.resize(static_cast<std::size_t>(prefill) * decode);
  }
}

std::uint32_t Router::prefill(std::span<const WorkerLoad> loads,
                              std::span<const std::uint64_t> hashes, std::uint64_t pages,
                              Picoseconds now) {
  return choose(prefill_, loads, hashes, pages, {}, now);
}

std::uint32_t Router::decode(std::uint32_t from, std::span<const WorkerLoad> loads,
                             std::span<const std::uint64_t> hashes, std::uint64_t pages,
                             Picoseconds now) {
  std::vector<double> slow;
  if (!paths_.empty()) slow = slowdown(from, now);
  return choose(decode_, loads, hashes, pages, slow, now);
}

std::uint32_t Router::choose(Pool& pool, std::span<const WorkerLoad> loads,
                             std::span<const std::uint64_t> hashes, std::uint64_t pages,
                             std::span<const double> slowdown, Picoseconds now) {
  std::uint32_t chosen = 0;
  switch (pool.policy) {
    case RouterPolicy::kRoundRobin:
      chosen = static_cast<std::uint32_t>(pool.turn++ % pool.active);
      break;
    case RouterPolicy::kRandom:
      chosen = static_cast<std::uint32_t>(pool.random.below(pool.active));
      break;
    case RouterPolicy::kPowerOfTwo: {
      const auto a = static_cast<std::uint32_t>(pool.random.below(pool.active));
      const auto b = static_cast<std::uint32_t>(pool.random.below(pool.active));
      chosen = loads[b].outstanding < loads[a].outstanding ? b : a;
      break;
    }
    case RouterPolicy::kLeastOutstanding:
      chosen = lowest(pool.active, pool.turn, [&](std::uint32_t worker) {
        return static_cast<double>(loads[worker].outstanding);
      });
      break;
    case RouterPolicy::kLeastKv:
      chosen = lowest(pool.active, pool.turn, [&](std::uint32_t worker) {
        return static_cast<double>(loads[worker].used_pages);
      });
      break;
    case RouterPolicy::kKvAware:
    case RouterPolicy::kCongestionAware: {
      const auto cached = pool.memory.cached(hashes, pool.workers, now);
      chosen = lowest(pool.active, pool.turn, [&](std::uint32_t worker) {
        const double path = slowdown.empty() ? 1 : slowdown[worker];
        return spec_.weight * path * static_cast<double>(pages - cached[worker]) +
               static_cast<double>(loads[worker].used_pages);
      });
      break;
    }
    case RouterPolicy::kPrefixAware:
      chosen = prefixAware(pool, loads, hashes, pages, now);
      break;
  }
  if (remembersPrefixes(pool.policy)) pool.memory.add(hashes, chosen, now);
  return chosen;
}

std::uint32_t Router::prefixAware(Pool& pool, std::span<const WorkerLoad> loads,
                                  std::span<const std::uint64_t> hashes, std::uint64_t pages,
                                  Picoseconds now) {
  const auto outstanding = [&](std::uint32_t worker) {
    return static_cast<double>(loads[worker].outstanding);
  };
  double min = outstanding(0);
  double max = min;
  for (std::uint32_t worker = 1; worker < pool.active; ++worker) {
    min = std::min(min, outstanding(worker));
    max = std::max(max, outstanding(worker));
  }
  if (max - min > spec_.balance_abs && max > spec_.balance_rel * min) {
    return lowest(pool.active, pool.turn, outstanding);
  }
  const auto cached = pool.memory.cached(hashes, pool.workers, now);
  const auto best = std::max_element(cached.begin(), cached.begin() + pool.active);
  if (*best > 0 && *best >= spec_.threshold * static_cast<double>(pages)) {
    return static_cast<std::uint32_t>(best - cached.begin());
  }
  return lowest(pool.active, pool.turn, [&](std::uint32_t worker) {
    return static_cast<double>(loads[worker].used_pages);
  });
}

void Router::measured(std::uint32_t from, std::uint32_t to, Picoseconds time, std::uint64_t bytes,
                      Picoseconds now) {
  if (paths_.empty() || bytes == 0) return;
  const double per_byte = static_cast<double>(time.count()) / static_cast<double>(bytes);
  paths_[static_cast<std::size_t>(from) * decode_.workers + to].push_back(
      {now + spec_.staleness, per_byte});
}

// Time per byte of each path from `from`, relative to the fastest known one; 1 for unknown paths.
std::vector<double> Router::slowdown(std::uint32_t from, Picoseconds now) {
  std::vector<double> slow(decode_.workers, 0);
  double fastest = std::numeric_limits<double>::infinity();
  for (std::uint32_t to = 0; to < decode_.workers; ++to) {
    auto& known = paths_[static_cast<std::size_t>(from) * decode_.workers + to];
    while (known.size() > 1 && known[1].known <= now) known.pop_front();
    if (known.empty() || known.front().known > now) continue;
    slow[to] = known.front().per_byte;
    if (slow[to] > 0) fastest = std::min(fastest, slow[to]);
  }
  for (double& each : slow) each = each > 0 ? each / fastest : 1;
  return slow;
}

}  // namespace plumbline::serving
