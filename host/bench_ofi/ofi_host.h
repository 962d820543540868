// One end of a channel: a domain with its memory, its completion queue, and one endpoint for each
// queue pair.
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "bench_ofi/ofi_provider.h"
#include "endpoint/buffer.h"

namespace plumbline::bench_ofi {

// A provider's name of an endpoint, in its own form.
using OfiName = std::vector<std::uint8_t>;
inline constexpr std::size_t kLongestName = 256;

class OfiHost {
 public:
  // `name` is for messages: "initiator". `access`: of the memory, as for fi_mr_reg(). Throws as
  // ofiFault() and checkWork() do.
  OfiHost(fi_info& info, std::string name, std::uint32_t endpoints, std::size_t queue_entries,
          std::size_t memory_bytes, std::uint64_t access);

  // Of its endpoints, in their order.
  [[nodiscard]] std::vector<OfiName> names() const;
  // Connects endpoint number i of this host with number i of a peer. Throws Error(kTester) for a
  // name that is invalid for the provider.
  void meet(const std::vector<OfiName>& peer);

  [[nodiscard]] fid_ep* endpoint(std::uint32_t number) const { return endpoints_[number].get(); }
  [[nodiscard]] fi_addr_t peer(std::uint32_t number) const { return peers_[number]; }
  [[nodiscard]] fid_cq* queue() const { return queue_.get(); }
  // Registered memory, and the descriptor that the own endpoints use for it.
  [[nodiscard]] std::uint8_t* memory() const { return memory_.get(); }
  [[nodiscard]] void* descriptor() const { return fi_mr_desc(region_.get()); }
  // Key with which a peer accesses it: random, unless the provider chooses keys itself.
  [[nodiscard]] std::uint64_t key() const { return fi_mr_key(region_.get()); }
  [[nodiscard]] std::uint64_t remoteAddress() const { return remote_address_; }
  [[nodiscard]] const std::string& name() const { return name_; }

  // The completion in error at the head of the queue, as an Error.
  [[nodiscard]] Error completionFault() const;

 private:
  void registerMemory(const fi_info& info, std::size_t bytes, std::uint64_t access);
  void openEndpoints(fi_info& info, std::uint32_t count);

  std::string name_;
  bool text_names_;  // zero-terminated, of any length
  // In the order in which they are made; closed in reverse.
  endpoint::Buffer memory_;
  Fid<fid_fabric> fabric_;
  Fid<fid_domain> domain_;
  Fid<fid_mr> region_;
  Fid<fid_av> addresses_;
  Fid<fid_cq> queue_;
  std::vector<Fid<fid_ep>> endpoints_;
  std::vector<fi_addr_t> peers_;
  std::uint64_t remote_address_ = 0;
};

}  // namespace plumbline::bench_ofi
