#include "tests/gui/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QByteArray>
#include <QCryptographicHash>
#include <chrono>
#include <stdexcept>

namespace plumbline::gui {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookMs = 20;
constexpr std::chrono::seconds kBetweenBytes{1};

void sendAll(int descriptor, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t more = ::send(descriptor, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (more <= 0) return;
    sent += static_cast<std::size_t>(more);
  }
}

// The answer of RFC 6455 to the key that a client sent.
std::string acceptance(const std::string& request) {
  static const std::string kField = "Sec-WebSocket-Key: ";
  const std::size_t begin = request.find(kField) + kField.size();
  const std::string key = request.substr(begin, request.find("\r\n", begin) - begin);
  return QCryptographicHash::hash(
             QByteArray::fromStdString(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"),
             QCryptographicHash::Sha1)
      .toBase64()
      .toStdString();
}

// The n-th byte of an answer whose header never ends.
char trickle(std::size_t n) {
  static const std::string kBegin = "HTTP/1.1 200 OK\r\nX: ";
  return n < kBegin.size() ? kBegin[n] : 'a';
}

// One text frame.
std::string frameOf(const std::string& text) {
  std::string frame = "\x81";
  if (text.size() < 126) {
    frame += static_cast<char>(text.size());
  } else {
    frame += text.size() < 65'536 ? '\x7e' : '\x7f';
    for (int shift = text.size() < 65'536 ? 8 : 56; shift >= 0; shift -= 8) {
      frame += static_cast<char>(text.size() >> shift);
    }
  }
  return frame + text;
}

}  // namespace

ScriptedServer::ScriptedServer(Manner manner, Script script)
    : manner_(manner),
      script_(std::move(script)),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  auto* plain = reinterpret_cast<sockaddr*>(&at);  // NOLINT: what sockets ask for
  if (::bind(listener_, plain, size) != 0 || ::listen(listener_, 64) != 0 ||
      ::getsockname(listener_, plain, &size) != 0) {
    throw std::runtime_error("no port to listen on");
  }
  port_ = ntohs(at.sin_port);
  thread_ = std::thread([this] { serve(); });
}

ScriptedServer::~ScriptedServer() {
  ending_ = true;
  thread_.join();
  ::close(listener_);
}

control::ServerAddress ScriptedServer::address() const {
  control::ServerAddress address;
  address.port = port_;
  return address;
}

int ScriptedServer::requests(const std::string& request) const {
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(request);
  return found == requests_.end() ? 0 : found->second;
}

void ScriptedServer::serve() {
  std::vector<Connection> open;
  Clock::time_point next_byte = Clock::now();
  while (!ending_) {
    std::vector<pollfd> waiting{{listener_, POLLIN, 0}};
    for (const Connection& one : open) {
      waiting.push_back({one.descriptor, static_cast<short>(one.descriptor < 0 ? 0 : POLLIN), 0});
    }
    ::poll(waiting.data(), waiting.size(), kLookMs);
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (waiting[i + 1].revents != 0) receive(open[i]);
    }
    if ((waiting[0].revents & POLLIN) != 0) {
      open.push_back({::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC), {}, false, 0});
      ++connections_;
    }
    if (manner_ == Manner::kTrickle && Clock::now() >= next_byte) {
      next_byte = Clock::now() + kBetweenBytes;
      for (Connection& one : open) sendAll(one.descriptor, std::string(1, trickle(one.trickled++)));
    }
  }
  for (const Connection& one : open) {
    if (one.descriptor >= 0) ::close(one.descriptor);
  }
}

void ScriptedServer::receive(Connection& connection) {
  char bytes[4096];
  const ssize_t count = ::recv(connection.descriptor, bytes, sizeof bytes, 0);
  if (count <= 0) {
    ::close(connection.descriptor);
    connection.descriptor = -1;
    return;
  }
  if (connection.answered) return;  // a client's messages on the live stream
  connection.received.append(bytes, static_cast<std::size_t>(count));
  if (connection.received.find("\r\n\r\n") != std::string::npos) answer(connection);
}

void ScriptedServer::answer(Connection& connection) {
  connection.answered = true;
  const std::string& received = connection.received;
  const std::string request = received.substr(0, received.find(" HTTP/"));
  {
    const std::lock_guard lock(mutex_);
    ++requests_[request];
  }
  if (manner_ == Manner::kSilent || manner_ == Manner::kTrickle) return;
  if (request.starts_with("GET /api/v1/live")) {
    std::string text =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Accept: " +
        acceptance(received) + "\r\n\r\n";
    for (const std::string& message : script_.messages) text += frameOf(message);
    if (manner_ == Manner::kHalfFrame) text += frameOf(std::string(1000, ' ')).substr(0, 500);
    sendAll(connection.descriptor, text);
    return;
  }
  const auto found = script_.answers.find(request);
  if (found == script_.answers.end()) return;
  sendAll(connection.descriptor,
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " +
              std::to_string(found->second.size()) + "\r\n\r\n" + found->second);
}

}  // namespace plumbline::gui
