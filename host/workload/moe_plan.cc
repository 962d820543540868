#include "workload/moe_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/work.h"
#include "workload/message_port.h"
#include "workload/refuse.h"

namespace plumbline::workload {
namespace {

// Layers x pairs of ranks: 12 bytes each.
constexpr std::uint64_t kMaxCells = std::uint64_t{1} << 26;
// The label of a message has its number (workload/message_port.h).
constexpr std::uint64_t kMaxMessagesOfPair = std::uint64_t{1} << (kSequenceBits + 16);

// Standard deviation over mean of the values passed to `add`.
class Scatter {
 public:
  void add(double value) {
    ++count_;
    sum_ += value;
    squares_ += value * value;
  }
  [[nodiscard]] std::optional<double> cv() const {
    if (sum_ <= 0) return std::nullopt;
    return std::sqrt(std::max(0.0, squares_ * count_ / (sum_ * sum_) - 1));
  }

 private:
  double count_ = 0;
  double sum_ = 0;
  double squares_ = 0;
};

// The different ones of few numbers.
void addOnce(std::uint32_t value, std::vector<std::uint32_t>& values) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

// Copies between ranks of a server.
class IntraCopies {
 public:
  explicit IntraCopies(std::uint32_t ranks) : sent_(ranks), received_(ranks) {}

  void add(std::uint32_t from, std::uint32_t to) {
    if (from == to) return;
    ++all_;
    ++sent_[from];
    ++received_[to];
  }
  [[nodiscard]] std::uint64_t all() const { return all_; }
  [[nodiscard]] std::uint64_t busiest() const {
    return std::max(*std::max_element(sent_.begin(), sent_.end()),
                    *std::max_element(received_.begin(), received_.end()));
  }

 private:
  std::uint64_t all_ = 0;
  std::vector<std::uint64_t> sent_;
  std::vector<std::uint64_t> received_;
};

}  // namespace

MoePlan::MoePlan(const MoeProgram& program, std::uint32_t ranks, std::uint64_t seed,
                 const std::string& name)
    : program_(program), ranks_(ranks) {
  const ExpertMap map(program_, ranks, seed, name);
  if (program_.layers * static_cast<std::uint64_t>(pairs()) > kMaxCells) {
    refuse(fmt::format("{} layers of {} ranks", program_.layers, ranks),
           "layers x ranks x ranks of at most 2^26", "layers");
  }
  copies_.resize(program_.layers * pairs());
  traffic_.reserve(program_.layers);
  for (std::uint32_t layer = 0; layer < program_.layers; ++layer) {
    traffic_.push_back(addLayer(layer, map, routeLayer(program_, ranks, seed, name, layer)));
  }
  ends_.resize(pairs() * phases());
  for (std::uint32_t from = 0; from < ranks; ++from) {
    checkWork();
    for (std::uint32_t to = 0; to < ranks; ++to) {
      std::uint64_t end = 0;
      for (std::uint32_t phase = 0; phase < phases(); ++phase) {
        if (copyBytes(phase) > 0) end += messagesOf(copiesIn(phase, from, to));
        if (end > kMaxMessagesOfPair) {
          refuse(fmt::format("rank {} sends rank {} too many messages", from, to),
                 fmt::format("at most {}; fewer layers, or messages: pair", kMaxMessagesOfPair),
                 "layers");
        }
        ends_[pairOf(from, to) * phases() + phase] = static_cast<std::uint32_t>(end);
      }
    }
  }
}

MoeTraffic MoePlan::addLayer(std::uint32_t layer, const ExpertMap& map,
                             const LayerRouting& routing) {
  const std::uint32_t per_server = program_.ranks_per_server;
  std::uint32_t* const copies = &copies_[layer * pairs()];
  std::vector<std::uint64_t> taken(ranks_);  // selections by the rank that computes them
  IntraCopies intra(ranks_);
  std::vector<std::uint32_t> targets;
  for (std::uint32_t token = 0; token + 1 < routing.first.size(); ++token) {
    const std::uint32_t rank = token / program_.tokens;
    targets.clear();
    for (const std::uint32_t expert : routing.of(token)) {
      // Each rank begins with a different replica.
      const std::uint32_t to = map.rankOf(expert, token % program_.tokens + rank);
      ++taken[to];
      if (program_.mode == MoeMode::kNormal) {
        addOnce(to, targets);
      } else if (to / per_server == rank / per_server) {
        intra.add(rank, to);
      } else {
        ++copies[pairOf(rank, to)];
      }
    }
    // The copy for a server goes to the rank of the same rail there, which forwards it to the other
    // ranks.
    std::vector<std::uint32_t>& servers = targets;
    std::sort(servers.begin(), servers.end());
    for (std::size_t i = 0; i < servers.size(); ++i) {
      const std::uint32_t server = servers[i] / per_server;
      const std::uint32_t rail = server * per_server + rank % per_server;
      const bool first = i == 0 || servers[i - 1] / per_server != server;
      if (first && server != rank / per_server) ++copies[pairOf(rank, rail)];
      intra.add(rail, servers[i]);
    }
  }
  MoeTraffic traffic;
  traffic.selections = routing.experts.size();
  traffic.dropped = routing.dropped;
  traffic.intra_copies = intra.all();
  traffic.intra_busiest = intra.busiest();
  traffic.busiest_over_mean =
      traffic.selections == 0 ? 0
                              : static_cast<double>(*std::max_element(taken.begin(), taken.end())) *
                                    ranks_ / static_cast<double>(traffic.selections);
  Scatter sizes;
  for (std::uint32_t from = 0; from < ranks_; ++from) {
    for (std::uint32_t to = 0; to < ranks_; ++to) {
      if (from / per_server == to / per_server) continue;
      if (program_.mode == MoeMode::kNormal && from % per_server != to % per_server) continue;
      const std::uint32_t own = copies[pairOf(from, to)];
      traffic.fabric_copies += own;
      sizes.add(own);
    }
  }
  traffic.pair_cv = sizes.cv();
  return traffic;
}

std::uint32_t MoePlan::messagesOf(std::uint32_t copies) const {
  if (copies == 0) return 0;
  if (program_.mode == MoeMode::kNormal) {
    return (copies + program_.chunk_tokens - 1) / program_.chunk_tokens;
  }
  return program_.messages == MoeMessages::kPair ? 1 : copies;
}

std::uint64_t MoePlan::bytesOf(std::uint32_t phase, std::uint32_t from, std::uint32_t to,
                               std::uint32_t place) const {
  const std::uint64_t bytes = copyBytes(phase);
  const std::uint32_t copies = copiesIn(phase, from, to);
  if (program_.mode == MoeMode::kNormal) {
    const std::uint32_t left = copies - place * program_.chunk_tokens;
    return bytes * std::min(left, program_.chunk_tokens);
  }
  return program_.messages == MoeMessages::kPair ? bytes * copies : bytes;
}

std::uint32_t MoePlan::phaseOf(std::uint32_t from, std::uint32_t to, std::uint32_t number) const {
  const auto first = ends_.begin() + static_cast<std::ptrdiff_t>(pairOf(from, to) * phases());
  return static_cast<std::uint32_t>(std::upper_bound(first, first + phases(), number) - first);
}

std::uint32_t MoePlan::expected(std::uint32_t phase, std::uint32_t rank) const {
  std::uint32_t messages = 0;
  for (std::uint32_t from = 0; from < ranks_; ++from) {
    messages += end(phase, from, rank) - begin(phase, from, rank);
  }
  return messages;
}

Picoseconds intraTime(const MoeProgram& program, const MoeTraffic& traffic,
                      std::uint64_t copy_bytes) {
  const Int128 bits = static_cast<Int128>(traffic.intra_busiest) * copy_bytes * 8;
  const Int128 rate = program.intra_rate.bitsPerSecond();
  return Picoseconds(static_cast<std::int64_t>((bits * 1'000'000'000'000 + rate - 1) / rate));
}

}  // namespace plumbline::workload
