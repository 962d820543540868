// The two sides of a channel over reliable datagram endpoints: one posts messages, the other
// receives them. Both in one program (OfiChannel), or in two (bench_ofi/ofi_peer.h).
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_eq.h>

#include <cstdint>
#include <span>
#include <vector>

#include "bench_ofi/ofi_host.h"
#include "endpoint/channel.h"

namespace plumbline::bench_ofi {

// The target's memory, for an initiator.
struct OfiMemory {
  std::uint64_t address = 0;
  std::uint64_t key = 0;

  bool operator==(const OfiMemory&) const = default;
};

// An end with its messages' memory, which holds the pattern at the sending side.
class OfiSide {
 public:
  // The endpoints, and their peers' after meet().
  [[nodiscard]] OfiHost& host() { return host_; }
  [[nodiscard]] const OfiHost& host() const { return host_; }
  // Of messages.
  [[nodiscard]] std::span<std::uint8_t> memory() const { return {host_.memory(), bytes_}; }

 protected:
  OfiSide(fi_info& info, const endpoint::ChannelSpec& spec, const char* name, std::uint64_t access);

  // The number of a completion's context, among those that were posted. Throws
  // endpoint::unexpectedCompletion() for any other one, such as completions of a peer's writes.
  [[nodiscard]] std::uint32_t slotOf(const fi_cq_msg_entry& entry,
                                     const std::vector<fi_context2>& contexts) const;

  endpoint::ChannelSpec spec_;
  std::size_t bytes_;
  OfiHost host_;
};

class OfiInitiator : public OfiSide {
 public:
  OfiInitiator(fi_info& info, const endpoint::ChannelSpec& spec);

  // As endpoint::Channel's, to memory of the target. May be used by one thread.
  bool post(std::uint32_t queue_pair, std::uint32_t slot, const OfiMemory& remote);
  std::size_t poll(std::span<std::uint32_t> slots);

 private:
  // Contexts of messages in flight: providers may use them until a message completes.
  std::vector<fi_context2> posted_;
};

class OfiTarget : public OfiSide {
 public:
  OfiTarget(fi_info& info, const endpoint::ChannelSpec& spec);

  // Accepts the initiator's messages, after their endpoints have met.
  void begin();
  // As endpoint::Channel's.
  std::size_t serve();
  [[nodiscard]] OfiMemory remote() const { return {host_.remoteAddress(), host_.key()}; }

 private:
  void take(const fi_cq_msg_entry& entry);
  void postReceive(std::uint32_t slot);

  std::vector<fi_context2> receives_;
};

}  // namespace plumbline::bench_ofi
