// Selects the worker of a request from the workers' reports.
//
// Workers report their load every `signal_interval`; in between the router uses the last report
// (interval 0: always up to date, which favours every policy). For cached prefixes it uses its own
// decisions of the last `memory`, not the workers' caches.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "base/units.h"

namespace plumbline::serving {

enum class RouterPolicy {
  kRoundRobin,
  kRandom,
  kPowerOfTwo,        // the less loaded of two at random
  kLeastOutstanding,  // fewest requests
  kLeastKv,           // fewest pages in use
  kKvAware,           // lowest weight * pages to compute or send + pages in use (Dynamo)
  kPrefixAware,       // best cached prefix unless the load is uneven (SGLang)
  kCongestionAware,   // as kKvAware, pages to send weighted by the measured slowness of the path
};

struct RouterSpec {
  RouterPolicy prefill = RouterPolicy::kRoundRobin;
  RouterPolicy decode = RouterPolicy::kRoundRobin;
  double weight = 1;            // of pages that are not cached
  double threshold = 0.3;       // kPrefixAware: least cached share of a prompt that counts
  double balance_abs = 64;      // kPrefixAware: uneven if max - min is above this
  double balance_rel = 1.5;     // and max above this * min
  Picoseconds signal_interval;  // between two reports of a worker; 0: always up to date
  Picoseconds staleness = milliseconds(100);  // age at which a path measurement becomes visible
  Picoseconds memory = seconds(120);          // of routed prefixes
  Picoseconds delay = microseconds(50);       // from a request's arrival to its prefill worker
};

// Throws Error(kUsage) with the reason for an invalid specification.
void check(const RouterSpec& spec);

struct WorkerLoad {
  std::uint64_t outstanding = 0;  // requests, from routing until the worker has finished them
  std::uint64_t used_pages = 0;
};

// Prefixes that were routed to the workers of one pool, for as long as they are remembered.
class PrefixMemory {
 public:
  explicit PrefixMemory(Picoseconds lifetime) : lifetime_(lifetime) {}
  void add(std::span<const std::uint64_t> hashes, std::uint32_t worker, Picoseconds now);
  // For each worker, how many of `hashes` from the first on it should have.
  [[nodiscard]] std::vector<std::uint32_t> cached(std::span<const std::uint64_t> hashes,
                                                  std::uint32_t workers, Picoseconds now) const;

 private:
  struct Route {
    std::uint32_t worker = 0;
    Picoseconds time;
  };
  void forget(Picoseconds now);

  Picoseconds lifetime_;
  std::unordered_map<std::uint64_t, std::vector<Route>> routes_;
  std::size_t forget_at_ = std::size_t{1} << 16;
};

class Router {
 public:
  // Pools of `prefill` and `decode` workers.
  Router(const RouterSpec& spec, std::uint32_t prefill, std::uint32_t decode, std::uint64_t seed);

  // The worker for a request with `pages` pages of prompt, whose first pages have `hashes`. `loads`
  // is the last report, one per worker of the pool.
  std::uint32_t prefill(std::span<const WorkerLoad> loads, std::span<const std::uint64_t> hashes,
                        std::uint64_t pages, Picoseconds now);
  std::uint32_t decode(std::uint32_t from, std::span<const WorkerLoad> loads,
                       std::span<const std::uint64_t> hashes, std::uint64_t pages, Picoseconds now);

  // From now on only the first `workers` of the decode pool are chosen; 1 up to all of them.
  void setDecodeWorkers(std::uint32_t workers) { decode_.active = workers; }

  // A transfer of `bytes` over the path took `time`; it ended at `now`.
  void measured(std::uint32_t from, std::uint32_t to, Picoseconds time, std::uint64_t bytes,
                Picoseconds now);

  [[nodiscard]] const RouterSpec& spec() const { return spec_; }

 private:
  struct Pool {
    RouterPolicy policy;
    std::uint32_t workers;
    std::uint32_t active;  // number of first workers that may be selected
    std::uint64_t turn = 0;
    RandomStream random;
    PrefixMemory memory;
  };
  struct Measurement {
    Picoseconds known;  // from then on
    double per_byte = 0;
  };

  std::uint32_t choose(Pool& pool, std::span<const WorkerLoad> loads,
                       std::span<const std::uint64_t> hashes, std::uint64_t pages,
                       std::span<const double> slowdown, Picoseconds now);
  std::uint32_t prefixAware(Pool& pool, std::span<const WorkerLoad> loads,
                            std::span<const std::uint64_t> hashes, std::uint64_t pages,
                            Picoseconds now);
  std::vector<double> slowdown(std::uint32_t from, Picoseconds now);

  RouterSpec spec_;
  Pool prefill_;
  Pool decode_;
  std::vector<std::deque<Measurement>> paths_;  // [prefill][decode]
};

}  // namespace plumbline::serving
