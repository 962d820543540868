// One end of queue pairs of libibverbs.
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <memory>
#include <string>
#include <vector>

#include "bench_verbs/verbs_library.h"
#include "endpoint/buffer.h"

namespace plumbline::bench_verbs {

// Closes objects of libibverbs and librdmacm.
struct IbvDeleter {
  void operator()(ibv_context* context) const { ibv_close_device(context); }
  void operator()(ibv_pd* domain) const { ibv_dealloc_pd(domain); }
  void operator()(ibv_mr* region) const { ibv_dereg_mr(region); }
  void operator()(ibv_cq* queue) const { ibv_destroy_cq(queue); }
  void operator()(ibv_qp* pair) const { ibv_destroy_qp(pair); }
};
template <typename Object>
using Ibv = std::unique_ptr<Object, IbvDeleter>;

// A queue pair that the connection manager made, with its identifier.
struct CmIdDeleter {
  void operator()(rdma_cm_id* id) const {
    if (id->qp != nullptr) rdma_destroy_qp(id);
    rdma_destroy_id(id);
  }
};
using CmId = std::unique_ptr<rdma_cm_id, CmIdDeleter>;

// Retransmissions of an RC queue pair without acknowledgement. Most devices take seven as a number,
// but the kernel's soft-RoCE takes it as unlimited: it would wait for a dead peer for ever.
constexpr std::uint8_t kAckRetries = 6;

// A peer's access rights, as access flags of regions and queue pairs.
unsigned remoteFlags(endpoint::RemoteAccess access);

// The device of this name, opened. Throws verbsFault().
Ibv<ibv_context> openDevice(const std::string& name);

class IbvEnd final : public VerbsEnd {
 public:
  // `context` is of the end's device and outlives it. Without queue pairs yet. Throws verbsFault().
  IbvEnd(ibv_context* context, const EndSpec& spec);

  // Attributes for creating queue pairs of this end.
  [[nodiscard]] ibv_qp_init_attr attributes(bench::QueuePairService service) const;
  [[nodiscard]] ibv_pd* domain() const { return domain_.get(); }
  [[nodiscard]] const EndSpec& spec() const { return spec_; }
  [[nodiscard]] std::size_t pairs() const { return pairs_.size(); }
  [[nodiscard]] ibv_qp* pair(std::uint32_t number) const { return pairs_[number]; }

  // Take the next queue pair: one made here, or one that the connection manager made.
  void add(Ibv<ibv_qp> pair);
  void add(CmId id);
  // Keeps the device open as long as the end lives; for ends with a context of their own.
  void keep(Ibv<ibv_context> context) { context_ = std::move(context); }

  [[nodiscard]] std::uint8_t* memory() const override { return memory_.get(); }
  [[nodiscard]] MemoryKey key() const override;
  int post(std::uint32_t queue_pair, std::uint64_t id, bench::Operation operation,
           const MemoryKey& remote) override;
  int postReceive(std::uint32_t queue_pair, std::uint64_t id) override;
  int poll(std::span<WorkCompletion> completions) override;
  DeviceEvent event() override;

 private:
  [[nodiscard]] ibv_sge piece() const;

  EndSpec spec_;
  // In the order in which they are made; closed in reverse.
  endpoint::Buffer memory_;
  Ibv<ibv_context> context_;
  Ibv<ibv_pd> domain_;
  Ibv<ibv_mr> region_;
  Ibv<ibv_cq> queue_;
  std::vector<Ibv<ibv_qp>> own_pairs_;
  std::vector<CmId> cm_pairs_;
  std::vector<ibv_qp*> pairs_;
};

}  // namespace plumbline::bench_verbs
