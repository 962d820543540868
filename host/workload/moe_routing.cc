#include "workload/moe_routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "base/random.h"
#include "base/work.h"
#include "workload/refuse.h"

namespace plumbline::workload {
namespace {

constexpr std::uint32_t kTokensPerCheck = 256;  // of checkWork()
// Selections of a layer at most.
constexpr std::uint64_t kMaxSelections = std::uint64_t{1} << 28;

// Uniform in (0, 1), never 0 or 1.
double openUniform(RandomStream& random) {
  return (static_cast<double>(random.next() >> 11) + 0.5) * 0x1p-53;
}

double normalOf(RandomStream& random) {  // Box and Muller
  const double radius = std::sqrt(-2 * std::log(openUniform(random)));
  return radius * std::cos(2 * std::numbers::pi * openUniform(random));
}

std::uint64_t selectionsOf(const MoeProgram& program, std::uint32_t ranks) {
  return std::uint64_t{program.tokens} * program.top_k * ranks;
}

void checkMatrix(const MoeProgram& program, std::uint32_t ranks) {
  const std::size_t experts = program.experts;
  if (program.matrix.size() != experts * ranks) {
    refuse(fmt::format("the matrix has {} numbers", program.matrix.size()),
           fmt::format("{} ranks of {} experts", ranks, experts), "matrix");
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto row = std::span(program.matrix).subspan(rank * experts, experts);
    if (*std::max_element(row.begin(), row.end()) > program.tokens) {
      refuse(fmt::format("an expert takes more selections of rank {} than it has tokens", rank),
             fmt::format("at most {}", program.tokens), "matrix");
    }
    const auto all = std::accumulate(row.begin(), row.end(), std::uint64_t{0});
    const std::uint64_t max = std::uint64_t{program.tokens} * program.top_k;
    if (all > max) {
      refuse(fmt::format("rank {} has {} selections", rank, all),
             fmt::format("at most tokens x top_k = {}", max), "matrix");
    }
  }
}

// Weight of each expert in a draw; empty where all are equal.
std::vector<double> weightsOf(const MoeProgram& program, std::uint32_t ranks, std::uint64_t seed,
                              const std::string& name) {
  const std::uint32_t experts = program.experts;
  std::vector<double> weights;
  weights.reserve(experts);
  switch (program.routing) {
    case MoeRouting::kZipf:
      for (std::uint32_t e = 0; e < experts; ++e) {
        weights.push_back(std::pow(e + 1.0, -program.zipf_exponent));
      }
      break;
    case MoeRouting::kLognormal: {
      // As many groups as ranks, or as experts if there are fewer: without replicas, in contiguous
      // order, a group is one rank's experts.
      RandomStream random(seed, "moe/" + name + "/weights");
      const std::uint32_t groups = std::min(ranks, experts);
      std::vector<double> group(groups);
      for (double& one : group) one = std::exp(program.lognormal_sigma * normalOf(random));
      for (std::uint32_t e = 0; e < experts; ++e) {
        weights.push_back(group[std::uint64_t{e} * groups / experts]);
      }
      break;
    }
    case MoeRouting::kHot: {
      const double share = program.hot_share.toDouble();
      const double hot = share / program.hot_experts;
      const double cold = (1 - share) / (experts - program.hot_experts);
      for (std::uint32_t e = 0; e < experts; ++e) {
        weights.push_back(e < program.hot_experts ? hot : cold);
      }
      break;
    }
    case MoeRouting::kMatrix:
      for (std::uint32_t e = 0; e < experts; ++e) {
        double sum = 0;
        for (std::uint32_t r = 0; r < ranks; ++r) {
          sum += program.matrix[std::size_t{r} * experts + e];
        }
        weights.push_back(sum);
      }
      break;
    case MoeRouting::kUniform:
    case MoeRouting::kExpertChoice:
    case MoeRouting::kAuxLoss:
      break;
  }
  return weights;
}

// Replicas of each expert: each further one goes to the expert whose replicas have the most weight.
std::vector<std::uint32_t> replicasOf(const MoeProgram& program, std::uint32_t ranks,
                                      std::uint64_t seed, const std::string& name) {
  std::vector<std::uint32_t> replicas(program.experts, 1);
  std::vector<double> weights = weightsOf(program, ranks, seed, name);
  if (weights.empty()) weights.assign(program.experts, 1);
  for (std::uint32_t i = 0; i < program.redundant; ++i) {
    std::uint32_t heaviest = 0;
    for (std::uint32_t e = 1; e < program.experts; ++e) {
      if (weights[e] / replicas[e] > weights[heaviest] / replicas[heaviest]) heaviest = e;
    }
    ++replicas[heaviest];
  }
  return replicas;
}

// Tokens draw experts.
class TopK {
 public:
  TopK(std::uint32_t experts, std::uint32_t k, std::vector<double> weights)
      : k_(k), weights_(std::move(weights)), order_(experts), keys_(experts) {
    std::iota(order_.begin(), order_.end(), 0);
  }

  // Appends k different experts to `out`.
  void draw(RandomStream& random, std::vector<std::uint32_t>& out) {
    if (weights_.empty()) {
      // The first k of a shuffle; any order to begin with does.
      for (std::uint32_t i = 0; i < k_; ++i) {
        std::swap(order_[i], order_[i + random.below(order_.size() - i)]);
      }
    } else {
      // The k first of exponential clocks with the weights as rates, which is the Gumbel top-k:
      // -log(Exp(1)) is a Gumbel variable.
      for (std::size_t e = 0; e < keys_.size(); ++e) {
        keys_[e] = -std::log(openUniform(random)) / weights_[e];
      }
      std::iota(order_.begin(), order_.end(), 0);
      const auto kth = order_.begin() + static_cast<std::ptrdiff_t>(k_);
      std::partial_sort(order_.begin(), kth, order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return keys_[a] != keys_[b] ? keys_[a] < keys_[b] : a < b;
      });
    }
    out.insert(out.end(), order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(k_));
  }

 private:
  std::uint32_t k_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> order_;
  std::vector<double> keys_;
};

LayerRouting drawTopK(const MoeProgram& program, std::uint32_t ranks, std::vector<double> weights,
                      RandomStream& random) {
  LayerRouting routing;
  const std::uint32_t tokens = program.tokens * ranks;
  routing.first.reserve(tokens + std::size_t{1});
  routing.experts.reserve(selectionsOf(program, ranks));
  TopK top(program.experts, program.top_k, std::move(weights));
  for (std::uint32_t token = 0; token < tokens; ++token) {
    if (token % kTokensPerCheck == 0) checkWork();
    routing.first.push_back(static_cast<std::uint32_t>(routing.experts.size()));
    top.draw(random, routing.experts);
  }
  routing.first.push_back(static_cast<std::uint32_t>(routing.experts.size()));
  return routing;
}

// Makes a routing of (token, expert) pairs in any order; experts of a token keep their order.
LayerRouting byToken(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& selections,
                     std::uint32_t tokens) {
  LayerRouting routing;
  routing.first.assign(tokens + std::size_t{1}, 0);
  for (const auto& [token, expert] : selections) ++routing.first[token + std::size_t{1}];
  std::partial_sum(routing.first.begin(), routing.first.end(), routing.first.begin());
  routing.experts.resize(selections.size());
  std::vector<std::uint32_t> place(routing.first.begin(), routing.first.end() - 1);
  for (const auto& [token, expert] : selections) routing.experts[place[token]++] = expert;
  return routing;
}

// Every expert draws equally many tokens of all ranks; the first ones one more where that does not
// divide.
LayerRouting chooseTokens(const MoeProgram& program, std::uint32_t ranks, RandomStream& random) {
  const std::uint32_t tokens = program.tokens * ranks;
  const std::uint64_t all = selectionsOf(program, ranks);
  std::vector<std::uint32_t> order(tokens);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> selections;
  selections.reserve(all);
  for (std::uint32_t expert = 0; expert < program.experts; ++expert) {
    checkWork();
    const std::uint64_t own = all / program.experts + (expert < all % program.experts ? 1 : 0);
    for (std::uint64_t i = 0; i < own; ++i) {
      std::swap(order[i], order[i + random.below(tokens - i)]);
      selections.emplace_back(order[i], expert);
    }
  }
  return byToken(selections, tokens);
}

// Moves selections from the fullest expert to the emptiest one until the loads' CV is at most
// `most`, or no two loads differ by more than one.
class Evening {
 public:
  Evening(LayerRouting& routing, std::uint32_t experts) : routing_(routing), places_(experts) {
    token_.resize(routing.experts.size());
    for (std::uint32_t token = 0; token + 1 < routing.first.size(); ++token) {
      for (std::uint32_t i = routing.first[token]; i < routing.first[token + 1]; ++i) {
        token_[i] = token;
        places_[routing.experts[i]].push_back(i);
      }
    }
  }

  void run(double max, RandomStream& random) {
    const auto load = [](const auto& a, const auto& b) { return a.size() < b.size(); };
    while (cv() > max) {
      checkWork();
      const auto [low, high] = std::minmax_element(places_.begin(), places_.end(), load);
      if (high->size() - low->size() <= 1 || !move(*high, *low, random)) return;
    }
  }

 private:
  using Places = std::vector<std::uint32_t>;  // into routing_.experts

  [[nodiscard]] double cv() const {
    double sum = 0;
    double squares = 0;
    for (const Places& one : places_) {
      const auto load = static_cast<double>(one.size());
      sum += load;
      squares += load * load;
    }
    const auto n = static_cast<double>(places_.size());
    return std::sqrt(std::max(0.0, squares * n / (sum * sum) - 1));
  }

  // One selection, of a token that has not selected the other expert yet.
  bool move(Places& from, Places& to, RandomStream& random) {
    const auto expert = static_cast<std::uint32_t>(&to - places_.data());
    const std::size_t begin = random.below(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::size_t at = (begin + i) % from.size();
      const std::uint32_t place = from[at];
      const auto own = routing_.of(token_[place]);
      if (std::find(own.begin(), own.end(), expert) != own.end()) continue;
      routing_.experts[place] = expert;
      to.push_back(place);
      from[at] = from.back();
      from.pop_back();
      return true;
    }
    return false;
  }

  LayerRouting& routing_;
  std::vector<std::uint32_t> token_;  // by place in routing_.experts
  std::vector<Places> places_;        // by expert
};

// The matrix gives the number of a rank's tokens for an expert, not which ones: they are dealt in
// turn to the rank's tokens, in a random order. No token gets an expert twice, as no count exceeds
// the number of tokens, and all get equally many, to one.
LayerRouting dealMatrix(const MoeProgram& program, std::uint32_t ranks, RandomStream& random) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> selections;
  std::vector<std::uint32_t> order(program.tokens);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    std::iota(order.begin(), order.end(), rank * program.tokens);
    for (std::uint32_t i = program.tokens; i > 1; --i) {
      std::swap(order[i - 1], order[random.below(i)]);
    }
    std::uint32_t next = 0;
    for (std::uint32_t expert = 0; expert < program.experts; ++expert) {
      const std::uint32_t count = program.matrix[std::size_t{rank} * program.experts + expert];
      for (std::uint32_t i = 0; i < count; ++i) {
        selections.emplace_back(order[next], expert);
        next = next + 1 == program.tokens ? 0 : next + 1;
      }
    }
  }
  return byToken(selections, program.tokens * ranks);
}

// Experts take selections in the order of the tokens' places, all ranks' first tokens first.
void dropAboveCapacity(std::uint64_t capacity, const MoeProgram& program, std::uint32_t ranks,
                       LayerRouting& routing) {
  std::vector<std::uint64_t> load(program.experts);
  std::vector<bool> kept(routing.experts.size());
  for (std::uint32_t t = 0; t < program.tokens; ++t) {
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const std::uint32_t token = rank * program.tokens + t;
      for (std::uint32_t i = routing.first[token]; i < routing.first[token + 1]; ++i) {
        kept[i] = load[routing.experts[i]]++ < capacity;
      }
    }
  }
  std::vector<std::uint32_t> experts;
  experts.reserve(routing.experts.size());
  for (std::size_t token = 0; token + 1 < routing.first.size(); ++token) {
    const std::uint32_t begin = routing.first[token];
    routing.first[token] = static_cast<std::uint32_t>(experts.size());
    for (std::uint32_t i = begin; i < routing.first[token + 1]; ++i) {
      if (kept[i]) experts.push_back(routing.experts[i]);
    }
  }
  routing.first.back() = static_cast<std::uint32_t>(experts.size());
  routing.dropped = routing.experts.size() - experts.size();
  routing.experts = std::move(experts);
}

}  // namespace

void checkMoe(const MoeProgram& program, std::uint32_t ranks) {
  const std::uint64_t slots = std::uint64_t{program.experts} + program.redundant;
  if (ranks > slots) {
    refuse(fmt::format("{} ranks have {} experts and {} replicas: some would have none", ranks,
                       program.experts, program.redundant),
           fmt::format("at most {} ranks, or {} redundant experts", slots, ranks - program.experts),
           "experts");
  }
  if (program.tokens == 0 || program.top_k == 0 || program.layers == 0 || program.experts == 0) {
    refuse("tokens, top_k, experts or layers is 0", "at least 1");
  }
  if (program.top_k > program.experts) {
    refuse(fmt::format("top_k is {} of {} experts", program.top_k, program.experts),
           "at most the number of experts", "top_k");
  }
  if (program.dispatch_bytes == 0) refuse("a token has 0 bytes", "at least 1", "dispatch");
  if (program.ranks_per_server == 0 || program.chunk_tokens == 0) {
    refuse("ranks_per_server or chunk_tokens is 0", "at least 1");
  }
  if (program.mode == MoeMode::kNormal && ranks > program.ranks_per_server &&
      ranks % program.ranks_per_server != 0) {
    refuse(fmt::format("{} ranks do not fill whole servers of {} ranks, so that a rail of the last "
                       "server has none",
                       ranks, program.ranks_per_server),
           "mode low-latency, or a multiple of ranks_per_server", "ranks_per_server");
  }
  if (program.intra_rate.bitsPerSecond() <= 0)
    refuse("intra_rate is 0", "above zero", "intra_rate");
  if (program.compute < Picoseconds() || program.between < Picoseconds() ||
      program.period < Picoseconds()) {
    refuse("a duration is negative", "zero or more");
  }
  if (selectionsOf(program, ranks) > kMaxSelections) {
    refuse(fmt::format("a layer has {} selections", selectionsOf(program, ranks)),
           "tokens x top_k x ranks of at most 2^28", "tokens");
  }
  if (program.routing == MoeRouting::kHot &&
      (program.hot_experts == 0 || program.hot_experts >= program.experts)) {
    refuse(fmt::format("{} of {} experts are hot", program.hot_experts, program.experts),
           "at least one, not all", "hot_experts");
  }
  if (program.routing == MoeRouting::kMatrix) checkMatrix(program, ranks);
}

ExpertMap::ExpertMap(const MoeProgram& program, std::uint32_t ranks, std::uint64_t seed,
                     const std::string& name) {
  checkMoe(program, ranks);
  const std::vector<std::uint32_t> replicas = replicasOf(program, ranks, seed, name);
  // Slots in their order: one of every expert, then the others.
  std::vector<std::uint32_t> slots(program.experts);
  std::iota(slots.begin(), slots.end(), 0);
  for (std::uint32_t expert = 0; expert < program.experts; ++expert) {
    slots.insert(slots.end(), replicas[expert] - 1, expert);
  }
  if (program.placement == ExpertPlacement::kRandom) {
    RandomStream random(seed, "moe/" + name + "/placement");
    for (std::size_t i = slots.size(); i > 1; --i) std::swap(slots[i - 1], slots[random.below(i)]);
  }
  first_.push_back(0);
  for (const std::uint32_t own : replicas) first_.push_back(first_.back() + own);
  ranks_.resize(slots.size());
  std::vector<std::uint32_t> place(first_.begin(), first_.end() - 1);
  const std::size_t each = slots.size() / ranks;
  const std::size_t larger = slots.size() % ranks;
  std::size_t slot = 0;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const std::size_t end = slot + each + (rank < larger ? 1 : 0);
    for (; slot < end; ++slot) ranks_[place[slots[slot]]++] = rank;
  }
}

std::uint64_t expertCapacity(const MoeProgram& program, std::uint32_t ranks) {
  const auto max = static_cast<Int128>(selectionsOf(program, ranks)) *
                   program.capacity.partsPerTrillion() / Fraction::kOne / program.experts;
  return static_cast<std::uint64_t>(std::max<Int128>(max, 1));
}

LayerRouting routeLayer(const MoeProgram& program, std::uint32_t ranks, std::uint64_t seed,
                        const std::string& name, std::uint32_t layer) {
  RandomStream random(seed, fmt::format("moe/{}/layer/{}", name, layer));
  LayerRouting routing;
  switch (program.routing) {
    case MoeRouting::kExpertChoice:
      routing = chooseTokens(program, ranks, random);
      break;
    case MoeRouting::kMatrix:
      routing = dealMatrix(program, ranks, random);
      break;
    case MoeRouting::kUniform:
    case MoeRouting::kZipf:
    case MoeRouting::kLognormal:
    case MoeRouting::kHot:
    case MoeRouting::kAuxLoss:
      routing = drawTopK(program, ranks, weightsOf(program, ranks, seed, name), random);
      break;
  }
  if (program.routing == MoeRouting::kAuxLoss) {
    Evening(routing, program.experts).run(program.load_cv.toDouble(), random);
  }
  if (program.capacity > Fraction()) {
    dropAboveCapacity(expertCapacity(program, ranks), program, ranks, routing);
  }
  return routing;
}

}  // namespace plumbline::workload
