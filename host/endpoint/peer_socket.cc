#include "endpoint/peer_socket.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

#include "base/work.h"
#include "endpoint/fault.h"

namespace plumbline::endpoint {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kLongestLine = 1U << 18U;
constexpr milliseconds kCallTime{5000};
constexpr int kCallsWaiting = 64;
// Interval at which a wait checks for cancellation.
constexpr milliseconds kSocketPollInterval{200};

struct TcpAddressDeleter {
  void operator()(addrinfo* list) const { freeaddrinfo(list); }
};
using TcpAddress = std::unique_ptr<addrinfo, TcpAddressDeleter>;

TcpAddress resolveTcp(const std::string& address, std::uint16_t port, int& code) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  code = getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &list);
  return TcpAddress(list);
}

std::string words(int error) { return std::generic_category().message(error); }

Error gone(const std::string& peer, const std::string& what) {
  return fault(FaultKind::kPeerGone, peer + " " + what, {});
}

// Whether the descriptor becomes ready in time.
bool ready(int descriptor, short events, milliseconds time) {
  pollfd waiting{descriptor, events, 0};
  return poll(&waiting, 1, static_cast<int>(time.count())) > 0;
}

std::string numericHost(const sockaddr_storage& address, socklen_t size) {
  std::array<char, NI_MAXHOST> name{};
  getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, name.data(), name.size(), nullptr,
              0, NI_NUMERICHOST);
  return name.data();
}

}  // namespace

PeerSocket::PeerSocket(int socket, std::string peer) : socket_(socket), peer_(std::move(peer)) {
  const auto set = [&](int level, int option, int value) {
    setsockopt(socket_, level, option, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  // A host that has gone without a word is noticed after 80 s.
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 20);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 6);
}

PeerSocket::~PeerSocket() {
  if (socket_ >= 0) close(socket_);
}

PeerSocket::PeerSocket(PeerSocket&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      peer_(std::move(other.peer_)),
      received_(std::move(other.received_)),
      seal_(std::move(other.seal_)) {}

void PeerSocket::shutDown() const { ::shutdown(socket_, SHUT_RDWR); }

std::string PeerSocket::ownAddress() const {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  getsockname(socket_, reinterpret_cast<sockaddr*>(&own), &size);
  return numericHost(own, size);
}

void PeerSocket::send(const std::string& line, milliseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  const std::string whole = (seal_ ? seal_->close(line) : line) + '\n';
  std::size_t sent = 0;
  while (sent < whole.size()) {
    const ssize_t count =
        ::send(socket_, whole.data() + sent, whole.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      sent += static_cast<std::size_t>(count);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) throw gone(peer_, "takes no more: " + words(errno));
    checkWork();
    if (std::chrono::steady_clock::now() >= deadline) throw gone(peer_, "does not read");
    static_cast<void>(ready(socket_, POLLOUT, std::min(time, kSocketPollInterval)));
  }
}

bool PeerSocket::awaitBytes(std::chrono::steady_clock::time_point deadline) const {
  for (;;) {
    const auto left = std::max(
        std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now()),
        milliseconds(0));
    if (ready(socket_, POLLIN, std::min(left, kSocketPollInterval))) return true;
    if (left <= kSocketPollInterval) return false;
    checkWork();
  }
}

std::optional<std::string> PeerSocket::receive(milliseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  for (;;) {
    if (const std::size_t end = received_.find('\n'); end != std::string::npos) {
      std::string line = received_.substr(0, end);
      received_.erase(0, end + 1);
      if (!seal_) return line;
      auto opened = seal_->open(line);
      if (!opened) throw gone(peer_, "sends a line without its seal: others may be in between");
      return opened;
    }
    if (received_.size() > kLongestLine) throw gone(peer_, "sends a line without end");
    if (!awaitBytes(deadline)) return std::nullopt;
    std::array<char, 4096> bytes{};
    const ssize_t count = recv(socket_, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw gone(peer_, "is gone: " + words(errno));
    if (count == 0) throw gone(peer_, "has closed the connection");
    received_.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

PeerSocket callPeer(const std::string& address, std::uint16_t port) {
  const std::string name = fmt::format("the target program at {} port {}", address, port);
  int code = 0;
  const TcpAddress to = resolveTcp(address, port, code);
  if (!to) throw gone(name, fmt::format("cannot be called: {}", gai_strerror(code)));
  const int descriptor = socket(to->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) throw gone(name, "cannot be called: " + words(errno));
  PeerSocket call(descriptor, name);
  int error = connect(descriptor, to->ai_addr, to->ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    socklen_t size = sizeof error;
    error = ETIMEDOUT;
    bool connected = false;
    for (auto left = kCallTime; !connected && left.count() > 0; left -= kSocketPollInterval) {
      checkWork();
      connected = ready(descriptor, POLLOUT, kSocketPollInterval);
    }
    if (connected) {
      getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size);
    }
  }
  if (error != 0) throw gone(name, "does not answer: " + words(error));
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return call;
}

PeerListener::PeerListener(const std::string& address, std::uint16_t port) {
  const auto refuse = [&](const std::string& why) {
    if (socket_ >= 0) close(socket_);
    throw Error(ErrorKind::kUsage,
                fmt::format("cannot wait for calls at {} port {}: {}", address, port, why), {},
                "an IP address of this host, and a port that no other program has");
  };
  int code = 0;
  const TcpAddress own = resolveTcp(address, port, code);
  if (!own) refuse(gai_strerror(code));
  // The client may have left before its connection is accepted: accept() must not block then.
  socket_ = socket(own->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (socket_ < 0 || bind(socket_, own->ai_addr, own->ai_addrlen) != 0 ||
      listen(socket_, kCallsWaiting) != 0) {
    refuse(words(errno));
  }
}

PeerListener::~PeerListener() { close(socket_); }

std::uint16_t PeerListener::port() const {
  sockaddr_in6 address{};  // the port is at one place in both families
  socklen_t size = sizeof address;
  getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin6_port);
}

std::optional<PeerSocket> PeerListener::accept(milliseconds time) {
  if (!ready(socket_, POLLIN, time)) return std::nullopt;
  sockaddr_storage from{};
  socklen_t size = sizeof from;
  const int call = accept4(socket_, reinterpret_cast<sockaddr*>(&from), &size, SOCK_CLOEXEC);
  if (call < 0) return std::nullopt;
  return PeerSocket(call, fmt::format("the bench at {}", numericHost(from, size)));
}

}  // namespace plumbline::endpoint
