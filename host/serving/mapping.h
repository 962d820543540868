// KV cache flows: the ranks of prefill and decode workers, their NICs, and the share of a request's
// KV cache on each flow between them. Pure functions of the parallelism.
//
// A worker is `tp` accelerators of one server. With data-parallel attention `dp` it consists of dp
// attention groups of tp/dp ranks; a request's KV cache is in one group only. Rank i of a group has
// KV heads [i H/n, (i+1) H/n) of n ranks; with more ranks than heads, n/H ranks have copies. Every
// rank has the whole MLA latent.
#pragma once

#include <cstdint>
#include <vector>

#include "serving/accelerator_profile.h"
#include "serving/model_profile.h"

namespace plumbline::serving {

struct PoolShape {
  std::uint32_t workers = 1;
  std::uint32_t tp = 8;
  std::uint32_t dp_attention = 1;
};

// How the MLA latent gets to the ranks of a decode group.
enum class MlaPlacement {
  kOne,  // to one rank, which passes it on over NVLink; the rank changes with the request
  kAll,  // to every rank over the fabric
};
// How copies of a KV head get to decode ranks if there are more ranks than heads.
enum class HeadCopies {
  kSent,    // each copy crosses the fabric
  kNvlink,  // one copy crosses it, NVLink does the rest
};

struct MappingSpec {
  PoolShape prefill;
  PoolShape decode;
  std::uint32_t gpus = 8;        // of a server
  std::uint32_t nics = 8;        // of a server; GPU g uses NIC g * nics / gpus
  std::uint32_t rail_shift = 0;  // decode GPU g uses the NIC of GPU (g + shift) mod gpus
  MlaPlacement mla = MlaPlacement::kOne;
  HeadCopies copies = HeadCopies::kSent;
};

// One flow of a request. NICs count over all servers, those of the prefill pool first.
struct KvFlow {
  std::uint32_t from_rank = 0;  // of the prefill worker
  std::uint32_t to_rank = 0;    // of the decode worker
  std::uint32_t from_nic = 0;
  std::uint32_t to_nic = 0;
  std::uint32_t parts = 1;  // of the KV cache: parts / of
  std::uint32_t of = 1;

  friend bool operator==(const KvFlow&, const KvFlow&) = default;
};

// One end of a transfer: a worker of its pool, and one of its attention groups.
struct KvPlace {
  std::uint32_t worker = 0;
  std::uint32_t group = 0;
};

// Share of a request on one participating NIC.
struct NicShare {
  std::uint32_t nic = 0;
  std::uint32_t flows = 0;
  std::uint64_t bytes = 0;
};

class Mapping {
 public:
  // Throws Error(kUsage) with the reason for an invalid mapping: TP larger than a server, sizes
  // neither of which divides the other, heads that cannot be divided, a group without ranks.
  Mapping(const MappingSpec& spec, const ModelProfile& model);

  // The flows of request number `request`, in the order of their receiving rank.
  [[nodiscard]] std::vector<KvFlow> flows(KvPlace from, KvPlace to, std::uint64_t request) const;

  [[nodiscard]] std::uint32_t prefillServers() const { return servers(spec_.prefill); }
  [[nodiscard]] std::uint32_t decodeServers() const { return servers(spec_.decode); }
  // NICs of both pools.
  [[nodiscard]] std::uint32_t nics() const {
    return (prefillServers() + decodeServers()) * spec_.nics;
  }
  [[nodiscard]] const MappingSpec& spec() const { return spec_; }

 private:
  [[nodiscard]] std::uint32_t servers(const PoolShape& pool) const;
  [[nodiscard]] std::uint32_t nicOf(const PoolShape& pool, std::uint32_t worker, std::uint32_t rank,
                                    std::uint32_t shift) const;
  [[nodiscard]] std::uint32_t senderOf(std::uint32_t head, std::uint32_t receiver) const;

  MappingSpec spec_;
  bool latent_ = false;  // MLA
  std::uint32_t heads_ = 1;
  std::uint32_t prefill_ranks_ = 1;  // of an attention group
  std::uint32_t decode_ranks_ = 1;
};

// Bytes of `flow` for `tokens` tokens of `bytes_per_token`; exact.
std::uint64_t flowBytes(const KvFlow& flow, std::uint64_t bytes_per_token, std::uint64_t tokens);

// Bytes of one request of `tokens` tokens on each NIC, in the order of the NICs: at its senders,
// and at its receivers.
struct MappingLoad {
  std::vector<NicShare> senders;
  std::vector<NicShare> receivers;
  std::uint64_t bytes = 0;   // on the fabric
  double incast = 1;         // flows into the busiest receiving NIC
  double concentration = 1;  // bytes of the busiest receiving NIC / those of the busiest sender
};
MappingLoad mappingLoad(const std::vector<KvFlow>& flows, std::uint64_t bytes_per_token,
                        std::uint64_t tokens);

// Memory for KV cache on each accelerator of a worker.
struct KvMemory {
  double usable = 0.9;         // share of the memory that the engine takes
  double activations = 3.5e9;  // bytes per accelerator
  // An injected fault: share of the released pages that are lost, each drawn separately.
  double leak = 0;
};

// Tokens of KV cache that fit into one attention group of `pool`:
//   (memory * usable - weights / TP - activations) / bytes per token of the fullest rank.
// Throws Error(kUsage) if the weights leave no room for one token.
std::uint64_t kvTokens(const ModelProfile& model, const AcceleratorProfile& accelerator,
                       const PoolShape& pool, const KvMemory& memory);

}  // namespace plumbline::serving
