#include "endpoint/peer.h"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/token_file.h"
#include "endpoint/peer_admission.h"
#include "endpoint/peer_answer.h"

namespace plumbline::endpoint {
namespace {

// IP addresses of this host's interfaces.
std::vector<std::string> ownAddresses() {
  ifaddrs* list = nullptr;
  std::vector<std::string> addresses;
  if (getifaddrs(&list) != 0) return addresses;
  for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    const bool v4 = one->ifa_addr->sa_family == AF_INET;
    if (!v4 && one->ifa_addr->sa_family != AF_INET6) continue;
    std::array<char, NI_MAXHOST> name{};
    const socklen_t size = v4 ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    if (getnameinfo(one->ifa_addr, size, name.data(), name.size(), nullptr, 0, NI_NUMERICHOST) ==
        0) {
      addresses.emplace_back(name.data());
    }
  }
  freeifaddrs(list);
  return addresses;
}

// The first query has the link to itself.
constexpr std::chrono::milliseconds kSelfDescriptionTimeout{10'000};

}  // namespace

bench::EndpointSpec chooseOwnPeer(bench::EndpointSpec spec) {
  if (spec.peers.empty()) return spec;
  const std::vector<std::string> own = ownAddresses();
  for (const auto& [host, peer] : spec.peers) {
    if (std::find(own.begin(), own.end(), host) == own.end()) continue;
    spec.address = host;
    spec.peer = peer;
    return spec;
  }
  throw Error(ErrorKind::kUsage, "there is no entry for this host", "endpoint.peers",
              fmt::format("one of its addresses, {}, with the address of the host it sends to",
                          fmt::join(own, ", ")));
}

Peer::Peer(const bench::EndpointSpec& spec, std::string library, const std::string& end)
    : address_(spec.peer),
      port_(spec.peer_port),
      token_(spec.token_file.empty() ? "" : readToken(spec.token_file)),
      library_(std::move(library)) {
  try {
    PeerSocket socket = call();
    own_address_ = socket.ownAddress();
    socket.send(encode(PeerRequest{library_, {}, end}));
    PeerAnswer answer = nextAnswer(socket, std::atomic<bool>(false), kSelfDescriptionTimeout);
    if (!answer.configuration) throw malformedAnswer(socket.peer(), "nothing of itself");
    configuration_ = *std::move(answer.configuration);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kTester) throw;
    // A peer that is missing before the start is an error of the setup, not a fault.
    throw Error(ErrorKind::kUnsupported, error.what(), "endpoint.peer",
                fmt::format("start `plumbline-target --library {}` on the other host", library_));
  }
}

PeerSocket Peer::call() const {
  PeerSocket socket = callPeer(address_, port_);
  introduce(socket, token_);
  return socket;
}

}  // namespace plumbline::endpoint
