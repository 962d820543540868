#include "serving/mapping.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/counted.h"
#include "base/error.h"

namespace plumbline::serving {
namespace {

bool oneDivides(std::uint32_t a, std::uint32_t b) { return a % b == 0 || b % a == 0; }

[[noreturn]] void refuseMapping(const std::string& what, const char* where,
                                const std::string& remedy) {
  throw Error(ErrorKind::kUsage, what, where, remedy);
}

void checkPool(const PoolShape& pool, const char* name, std::uint32_t gpus) {
  if (pool.workers < 1 || pool.workers > 100'000) {
    refuseMapping(fmt::format("{} workers in the {} pool", pool.workers, name), name,
                  "1 to 100,000");
  }
  if (pool.tp < 1 || gpus % pool.tp != 0) {
    refuseMapping(fmt::format("TP {} of the {} pool does not divide the {} of a server", pool.tp,
                              name, counted(gpus, "accelerator")),
                  name, "a divisor: tensor parallelism stays inside a server");
  }
  if (pool.dp_attention < 1 || pool.tp % pool.dp_attention != 0) {
    refuseMapping(fmt::format("TP {} of the {} pool cannot be divided into {} attention groups",
                              pool.tp, name, pool.dp_attention),
                  name, "a divisor of the pool's TP");
  }
}

void addShare(std::map<std::uint32_t, NicShare>& shares, std::uint32_t nic, std::uint64_t bytes) {
  NicShare& share = shares[nic];
  share.nic = nic;
  ++share.flows;
  share.bytes += bytes;
}

std::vector<NicShare> listed(const std::map<std::uint32_t, NicShare>& shares) {
  std::vector<NicShare> list;
  list.reserve(shares.size());
  for (const auto& entry : shares) list.push_back(entry.second);
  return list;
}

std::uint64_t busiest(const std::vector<NicShare>& shares) {
  std::uint64_t max = 0;
  for (const NicShare& share : shares) max = std::max(max, share.bytes);
  return max;
}

}  // namespace

Mapping::Mapping(const MappingSpec& spec, const ModelProfile& model)
    : spec_(spec), latent_(model.kv == KvKind::kMla), heads_(model.kv_heads) {
  if (spec.gpus < 1 || spec.gpus > 1024) {
    refuseMapping(fmt::format("{} accelerators in a server", spec.gpus), "gpus", "1 to 1024");
  }
  if (spec.nics < 1 || spec.gpus % spec.nics != 0) {
    refuseMapping(fmt::format("{} for {} of a server", counted(spec.nics, "NIC"),
                              counted(spec.gpus, "accelerator")),
                  "nics", "a divisor of the number of accelerators");
  }
  checkPool(spec.prefill, "prefill", spec.gpus);
  checkPool(spec.decode, "decode", spec.gpus);
  prefill_ranks_ = spec.prefill.tp / spec.prefill.dp_attention;
  decode_ranks_ = spec.decode.tp / spec.decode.dp_attention;
  if (!oneDivides(prefill_ranks_, decode_ranks_)) {
    refuseMapping(fmt::format("an attention group of {} prefill ranks cannot send to one of {} "
                              "decode ranks",
                              prefill_ranks_, decode_ranks_),
                  "decode", "one number of ranks must divide the other");
  }
  for (const std::uint32_t ranks : {prefill_ranks_, decode_ranks_}) {
    if (!latent_ && !oneDivides(heads_, ranks)) {
      refuseMapping(
          fmt::format("{} KV heads cannot be divided evenly between {} ranks", heads_, ranks), "tp",
          "a divisor or a multiple of the number of KV heads");
    }
  }
}

std::uint32_t Mapping::servers(const PoolShape& pool) const {
  const std::uint32_t workers_each = spec_.gpus / pool.tp;
  return (pool.workers + workers_each - 1) / workers_each;
}

std::uint32_t Mapping::nicOf(const PoolShape& pool, std::uint32_t worker, std::uint32_t rank,
                             std::uint32_t shift) const {
  const std::uint32_t workers_each = spec_.gpus / pool.tp;
  const std::uint32_t gpu = (worker % workers_each * pool.tp + rank + shift) % spec_.gpus;
  return worker / workers_each * spec_.nics + gpu * spec_.nics / spec_.gpus;
}

// The prefill rank that has `head`; of several copies the one of `receiver`'s turn.
std::uint32_t Mapping::senderOf(std::uint32_t head, std::uint32_t receiver) const {
  if (prefill_ranks_ <= heads_) return head / (heads_ / prefill_ranks_);
  const std::uint32_t copies = prefill_ranks_ / heads_;
  return head * copies + receiver % copies;
}

std::vector<KvFlow> Mapping::flows(KvPlace from, KvPlace to, std::uint64_t request) const {
  std::vector<KvFlow> flows;
  const auto add = [&](std::uint32_t sender, std::uint32_t receiver, std::uint32_t of) {
    KvFlow flow;
    flow.from_rank = from.group * prefill_ranks_ + sender;
    flow.to_rank = to.group * decode_ranks_ + receiver;
    flow.of = of;
    if (!flows.empty() && flows.back().from_rank == flow.from_rank &&
        flows.back().to_rank == flow.to_rank) {
      ++flows.back().parts;
      return;
    }
    flow.from_nic = nicOf(spec_.prefill, from.worker, flow.from_rank, 0);
    flow.to_nic = prefillServers() * spec_.nics +
                  nicOf(spec_.decode, to.worker, flow.to_rank, spec_.rail_shift);
    flows.push_back(flow);
  };
  if (latent_) {
    if (spec_.mla == MlaPlacement::kOne) {
      add(static_cast<std::uint32_t>(request % prefill_ranks_),
          static_cast<std::uint32_t>(request % decode_ranks_), 1);
      return flows;
    }
    for (std::uint32_t rank = 0; rank < decode_ranks_; ++rank) add(rank % prefill_ranks_, rank, 1);
    return flows;
  }
  const std::uint32_t each = std::max(heads_ / decode_ranks_, std::uint32_t{1});
  const std::uint32_t copies = std::max(decode_ranks_ / heads_, std::uint32_t{1});
  for (std::uint32_t rank = 0; rank < decode_ranks_; ++rank) {
    if (spec_.copies == HeadCopies::kNvlink && rank % copies != 0) continue;
    const std::uint32_t first = rank / copies * each;
    for (std::uint32_t head = first; head < first + each; ++head) {
      add(senderOf(head, rank), rank, heads_);
    }
  }
  return flows;
}

std::uint64_t flowBytes(const KvFlow& flow, std::uint64_t bytes_per_token, std::uint64_t tokens) {
  // The number of heads divides the bytes of a token (model_profile.h), so the result is exact.
  return bytes_per_token / flow.of * flow.parts * tokens;
}

MappingLoad mappingLoad(const std::vector<KvFlow>& flows, std::uint64_t bytes_per_token,
                        std::uint64_t tokens) {
  std::map<std::uint32_t, NicShare> senders;
  std::map<std::uint32_t, NicShare> receivers;
  MappingLoad load;
  for (const KvFlow& flow : flows) {
    const std::uint64_t bytes = flowBytes(flow, bytes_per_token, tokens);
    addShare(senders, flow.from_nic, bytes);
    addShare(receivers, flow.to_nic, bytes);
    load.bytes += bytes;
  }
  load.senders = listed(senders);
  load.receivers = listed(receivers);
  std::uint32_t max = 0;
  for (const NicShare& share : load.receivers) max = std::max(max, share.flows);
  load.incast = max;
  load.concentration =
      static_cast<double>(busiest(load.receivers)) / static_cast<double>(busiest(load.senders));
  return load;
}

std::uint64_t kvTokens(const ModelProfile& model, const AcceleratorProfile& accelerator,
                       const PoolShape& pool, const KvMemory& memory) {
  const double weights = weightBytes(model) / pool.tp;
  const double room = accelerator.memory * memory.usable - weights - memory.activations;
  const std::uint32_t ranks = pool.tp / pool.dp_attention;
  const std::uint32_t shares = model.kv == KvKind::kMla ? 1 : std::min(ranks, model.kv_heads);
  const double per_token = static_cast<double>(kvBytesPerToken(model)) / shares;
  if (!(room >= per_token)) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("{} on {} x {} leaves no memory for KV cache: {:.1f} GB of weights and "
                    "{:.1f} GB of activations on each of {:.1f} GB, of which {:.0f} % are "
                    "used",
                    model.name, pool.tp, accelerator.name, weights / 1e9, memory.activations / 1e9,
                    accelerator.memory / 1e9, memory.usable * 100),
        "tp", "more accelerators per worker, or fewer bits per weight");
  }
  return static_cast<std::uint64_t>(room / per_token);
}

}  // namespace plumbline::serving
