// The target program on another host, for a bench.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bench/trial/endpoint_spec.h"
#include "endpoint/channel.h"
#include "endpoint/host_configuration.h"
#include "endpoint/peer_socket.h"

namespace plumbline::endpoint {

// `spec` with the address and the peer that EndpointSpec::peers has for this host; unchanged
// without peers. Throws Error(kUsage) when no address of this host is among them.
bench::EndpointSpec chooseOwnPeer(bench::EndpointSpec spec);

// The initiator's end of a channel to a peer, made by the library. Throws as Channel does.
class PeerInitiator {
 public:
  virtual ~PeerInitiator() = default;

  // Data that the target needs to connect: a JSON object.
  [[nodiscard]] virtual std::string address() const = 0;
  // Connects to the target, whose PeerTarget::address() is `target`. Throws senseless() for invalid
  // data.
  virtual void meet(const std::string& target) = 0;
  // Starts with the result of PeerTarget::meet(), likewise.
  virtual void begin(const std::string& target) = 0;
  // Whether the first message of each queue pair establishes its connection.
  [[nodiscard]] virtual bool connectsByMessages() const = 0;

  // As Channel's.
  virtual bool post(std::uint32_t queue_pair, std::uint32_t slot) = 0;
  virtual std::size_t poll(std::span<std::uint32_t> slots) = 0;
  [[nodiscard]] virtual bool confirmsDelivery() const = 0;
  // Memory of the messages, into which a read delivers.
  [[nodiscard]] virtual std::span<std::uint8_t> memory() = 0;
};

class Peer {
 public:
  // Queries the target program at `spec.peer`. `library` and `end`: of PeerRequest. Throws
  // Error(kUnsupported) when it does not answer, Error(kUsage) when it refuses access, and errors
  // that it reports.
  Peer(const bench::EndpointSpec& spec, std::string library, const std::string& end);

  // Of the target and its host.
  [[nodiscard]] const Configuration& configuration() const { return configuration_; }
  // The address of this host from which it is reached.
  [[nodiscard]] const std::string& ownAddress() const { return own_address_; }

  // Opens an admitted connection to it. Throws fault(kPeerGone) and as introduce().
  [[nodiscard]] PeerSocket call() const;
  [[nodiscard]] const std::string& library() const { return library_; }

 private:
  std::string address_;
  std::uint16_t port_;
  std::string token_;
  std::string library_;
  std::string own_address_;
  Configuration configuration_;
};

}  // namespace plumbline::endpoint
