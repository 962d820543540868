// Lines of text between two programs over TCP.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace plumbline::bench_verbs {

// A connection. Throws endpoint::fault(kPeerGone) when the other side is gone, or sends a line that
// does not end.
class PeerSocket {
 public:
  // Takes over a connected socket; `peer` names the other side in messages.
  PeerSocket(int socket, std::string peer);
  ~PeerSocket();
  PeerSocket(PeerSocket&& other) noexcept;
  PeerSocket& operator=(PeerSocket&&) = delete;

  [[nodiscard]] const std::string& peer() const { return peer_; }
  // Sends a line; its end is added.
  void send(const std::string& line);
  // The next line, without its end; nothing when none has come in time.
  std::optional<std::string> receive(std::chrono::milliseconds time);

 private:
  int socket_;
  std::string peer_;
  std::string received_;
};

// Connects to an IP address. Throws endpoint::fault(kPeerGone).
PeerSocket callPeer(const std::string& address, std::uint16_t port);

class PeerListener {
 public:
  // Waits for connections at an IP address of this host; port 0: any that is free. Throws
  // Error(kUsage).
  PeerListener(const std::string& address, std::uint16_t port);
  ~PeerListener();
  PeerListener(const PeerListener&) = delete;
  PeerListener& operator=(const PeerListener&) = delete;

  [[nodiscard]] std::uint16_t port() const;
  // The next connection; nothing when none has come in time.
  std::optional<PeerSocket> accept(std::chrono::milliseconds time);

 private:
  int socket_ = -1;
};

}  // namespace plumbline::bench_verbs
