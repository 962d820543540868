// The Linux kernel's soft-RoCE behind a simulated wire: an independent RoCEv2 implementation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "guest_machine.h"
#include "wire/bytes.h"
#include "wire/ethernet.h"
#include "wire/ip.h"

namespace plumbline::roce_peer {

// Names and addresses of the guest and its peer on the wire.
struct GuestOptions {
  std::filesystem::path image;  // directory with vmlinuz and responder.img (build-guest)
  wire::MacAddress mac{};
  wire::Ipv4Address address{};
  wire::MacAddress peer_mac{};
  wire::Ipv4Address peer_address{};
  std::uint32_t peer_qp = 0;   // of the peer's first queue pair; the next ones follow
  std::uint32_t peer_psn = 0;  // the first one that the guest expects, on every queue pair
  std::uint32_t queue_pairs = 1;
};

// A SEND that the guest has received.
struct GuestReceive {
  std::uint32_t bytes = 0;
  int status = 0;  // ibv_wc_status; 0 is success
};

class RoceGuest {
 public:
  // Boots the guest and waits until its queue pairs are ready. Throws std::runtime_error with the
  // guest's last output when that takes longer than two minutes.
  explicit RoceGuest(const GuestOptions& options);
  ~RoceGuest();
  RoceGuest(const RoceGuest&) = delete;
  RoceGuest& operator=(const RoceGuest&) = delete;

  // A frame without FCS, to the guest and from it (nothing if none is waiting).
  void send(wire::ByteView frame);
  std::optional<wire::Buffer> receive();

  // Reads the guest's output.
  void listen();

  [[nodiscard]] std::uint32_t queuePair(std::uint32_t index) const { return pairs_.at(index); }
  [[nodiscard]] std::uint32_t rkey() const { return rkey_; }
  // Address and size of the memory that queue pair `index` writes to.
  [[nodiscard]] std::uint64_t regionAddress(std::uint32_t index) const;
  [[nodiscard]] std::size_t regionBytes() const { return region_bytes_; }
  // CRC-32 of that memory as last reported; nothing before its first change.
  [[nodiscard]] std::optional<std::uint32_t> regionSum(std::uint32_t index) const;
  [[nodiscard]] const std::vector<GuestReceive>& received(std::uint32_t index) {
    return received_[index];
  }
  // All of its output, for messages.
  [[nodiscard]] const std::string& log() const { return machine_->log(); }

 private:
  void openWire();
  void listenFor(std::chrono::milliseconds time);
  void take(const std::string& line);

  SocketDirectory directory_;
  int socket_ = -1;
  std::unique_ptr<GuestMachine> machine_;
  bool ready_ = false;
  std::map<std::uint32_t, std::uint32_t> pairs_;
  std::uint32_t rkey_ = 0;
  std::uint64_t address_ = 0;
  std::size_t region_bytes_ = 0;
  std::map<std::uint32_t, std::uint32_t> sums_;
  std::map<std::uint32_t, std::vector<GuestReceive>> received_;
};

}  // namespace plumbline::roce_peer
