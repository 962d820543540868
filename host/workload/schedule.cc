#include "workload/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "workload/all_to_all.h"
#include "workload/barrier.h"
#include "workload/halving_doubling.h"
#include "workload/refuse.h"
#include "workload/ring.h"
#include "workload/tree.h"

namespace plumbline::workload {
namespace {

constexpr std::uint32_t kTreeWindow = 8;

void requirePowerOfTwo(std::uint32_t ranks, std::string_view algorithm) {
  if (!std::has_single_bit(ranks)) {
    refuse(fmt::format("{} does not work with {} ranks", algorithm, ranks), "a power of two",
           "algorithm");
  }
}

void requireKind(const CollectiveSpec& spec, std::initializer_list<CollectiveKind> kinds) {
  if (std::find(kinds.begin(), kinds.end(), spec.kind) == kinds.end()) {
    refuse("this collective does not exist with that algorithm",
           "AllReduce: any but linear shift and XOR; ReduceScatter, AllGather: ring; AllToAll: "
           "linear shift, XOR; Broadcast: tree",
           "algorithm");
  }
}

std::unique_ptr<Schedule> makeRing(const CollectiveSpec& spec, Rank rank, std::uint32_t ranks) {
  requireKind(spec, {CollectiveKind::kAllReduce, CollectiveKind::kReduceScatter,
                     CollectiveKind::kAllGather});
  Ring::Shape shape;
  shape.buffer = {0, spec.bytes};
  shape.element_bytes = spec.element_bytes;
  shape.slice_bytes = spec.chunk_bytes;
  shape.members = ranks;
  shape.scatter = spec.kind != CollectiveKind::kAllGather;
  shape.gather = spec.kind != CollectiveKind::kReduceScatter;
  return std::make_unique<Ring>(shape, rank);
}

// Rail `rail` reduces shard `rail` of the buffer over all servers.
std::unique_ptr<Schedule> makeRails(const CollectiveSpec& spec, Rank rank, std::uint32_t ranks) {
  requireKind(spec, {CollectiveKind::kAllReduce});
  const std::uint32_t rails = spec.ranks_per_server;
  if (rails == 0 || ranks % rails != 0) {
    refuse(fmt::format("{} ranks do not fill servers of {} ranks", ranks, rails),
           "a multiple of ranks_per_server", "ranks_per_server");
  }
  Ring::Shape shape;
  shape.buffer = Chunks({0, spec.bytes}, rails, spec.element_bytes).at(rank % rails);
  shape.element_bytes = spec.element_bytes;
  shape.slice_bytes = spec.chunk_bytes;
  shape.first = rank % rails;
  shape.stride = rails;
  shape.members = ranks / rails;
  return std::make_unique<Ring>(shape, rank / rails);
}

std::unique_ptr<Schedule> makeTree(const CollectiveSpec& spec, Rank rank, std::uint32_t ranks) {
  const bool twice = spec.algorithm == Algorithm::kDoubleTree;
  if (twice) {
    requireKind(spec, {CollectiveKind::kAllReduce});
  } else {
    requireKind(spec, {CollectiveKind::kAllReduce, CollectiveKind::kBroadcast});
  }
  TreeNode::Shape shape;
  shape.element_bytes = spec.element_bytes;
  shape.window = spec.window == 0 ? kTreeWindow : spec.window;
  shape.ranks = ranks;
  shape.reduce = spec.kind == CollectiveKind::kAllReduce;
  shape.trees = twice ? 2 : 1;
  const Chunks halves({0, spec.bytes}, shape.trees, spec.element_bytes);
  std::vector<TreeNode> nodes;
  for (; shape.number < shape.trees; ++shape.number) {
    shape.buffer = halves.at(shape.number);
    shape.mirrored = shape.number == 1;
    const std::uint64_t elements =
        (shape.buffer.bytes + spec.element_bytes - 1) / spec.element_bytes;
    const std::uint64_t chunk_elements =
        spec.chunk_bytes == 0 ? elements
                              : std::max<std::uint64_t>(1, spec.chunk_bytes / spec.element_bytes);
    const std::uint64_t chunks =
        elements == 0 ? 0 : (elements + chunk_elements - 1) / chunk_elements;
    if (chunks * shape.trees > kMaxSteps) {
      refuse(fmt::format("the tree has {} chunks", chunks * shape.trees),
             fmt::format("at most {}", kMaxSteps));
    }
    if (chunks == 0) continue;
    shape.chunks = static_cast<std::uint32_t>(chunks);
    nodes.emplace_back(shape, rank);
  }
  return std::make_unique<Tree>(std::move(nodes), shape.trees);
}

std::unique_ptr<Schedule> makeAllToAll(const CollectiveSpec& spec, Rank rank, std::uint32_t ranks) {
  requireKind(spec, {CollectiveKind::kAllToAll});
  AllToAll::Shape shape;
  shape.buffer = {0, spec.bytes};
  shape.element_bytes = spec.element_bytes;
  shape.window = spec.window;
  shape.ranks = ranks;
  shape.exclusive_or = spec.algorithm == Algorithm::kXor;
  if (shape.exclusive_or) requirePowerOfTwo(ranks, "XOR exchange");
  if (ranks > kMaxSteps) refuse("the AllToAll has too many ranks", "at most 65536");
  return std::make_unique<AllToAll>(shape, rank);
}

}  // namespace

std::unique_ptr<Schedule> makeSchedule(const CollectiveSpec& spec, Rank rank, std::uint32_t ranks) {
  if (spec.element_bytes == 0) refuse("the element size is 0", "at least 1 byte");
  if (spec.bytes >= std::uint64_t{1} << 40)
    refuse("the buffer is too large", "less than 2^40 bytes");
  switch (spec.algorithm) {
    case Algorithm::kRing:
      return makeRing(spec, rank, ranks);
    case Algorithm::kHierarchical:
      return makeRails(spec, rank, ranks);
    case Algorithm::kTree:
    case Algorithm::kDoubleTree:
      return makeTree(spec, rank, ranks);
    case Algorithm::kHalvingDoubling:
      requireKind(spec, {CollectiveKind::kAllReduce});
      requirePowerOfTwo(ranks, "halving-doubling");
      return std::make_unique<HalvingDoubling>(Range{0, spec.bytes}, spec.element_bytes, rank,
                                               ranks);
    case Algorithm::kLinearShift:
    case Algorithm::kXor:
      return makeAllToAll(spec, rank, ranks);
  }
  refuse("an unknown algorithm", "one of workload_spec.h");
}

std::unique_ptr<Schedule> makeBarrier(Rank rank, std::uint32_t ranks) {
  return std::make_unique<Barrier>(rank, ranks);
}

}  // namespace plumbline::workload
