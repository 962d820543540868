// Lines of text between a bench and a target program over TCP.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "endpoint/peer_token.h"

namespace plumbline::endpoint {

// A connection. Throws fault(kPeerGone) when the other side is gone, does not read, or sends a line
// without an end or, once there is a seal, with a wrong one. Calls checkWork() while it waits for
// longer than 200 ms.
class PeerSocket {
 public:
  // Takes over a connected socket; `peer` is the other side's name in messages.
  PeerSocket(int socket, std::string peer);
  ~PeerSocket();
  PeerSocket(PeerSocket&& other) noexcept;
  PeerSocket& operator=(PeerSocket&&) = delete;

  [[nodiscard]] const std::string& peer() const { return peer_; }
  // Ends the connection: pending sends and receives fail at once. May be called by another thread.
  void shutDown() const;
  // The IP address of this host on the connection, as canonicalAddress() writes it.
  [[nodiscard]] std::string ownAddress() const;
  // Sends a line; its end is added. The other side must read it within `time`: queries may share a
  // link with more messages than it carries.
  void send(const std::string& line,
            std::chrono::milliseconds time = std::chrono::milliseconds(30'000));
  // The next line, without its end; nothing at the timeout.
  std::optional<std::string> receive(std::chrono::milliseconds time);
  // From here on sent lines are sealed, and received ones must be.
  void seal(PeerSeal seal) { seal_ = std::move(seal); }

 private:
  // Whether there is something to receive before the deadline.
  [[nodiscard]] bool awaitBytes(std::chrono::steady_clock::time_point deadline) const;

  int socket_;
  std::string peer_;
  std::string received_;
  std::optional<PeerSeal> seal_;
};

// Connects to an IP address. Throws fault(kPeerGone).
PeerSocket callPeer(const std::string& address, std::uint16_t port);

class PeerListener {
 public:
  // Listens at an IP address of this host; port 0: any free one. Throws Error(kUsage).
  PeerListener(const std::string& address, std::uint16_t port);
  ~PeerListener();
  PeerListener(const PeerListener&) = delete;
  PeerListener& operator=(const PeerListener&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  // The next connection; nothing at the timeout.
  std::optional<PeerSocket> accept(std::chrono::milliseconds time);

 private:
  int socket_ = -1;
};

}  // namespace plumbline::endpoint
