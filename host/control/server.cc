#include "control/server.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <ctime>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/work.h"
#include "control/byte_stream.h"
#include "control/http_request.h"

namespace plumbline::control {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;
using LiveSocket = websocket::stream<ByteStream>;
using Request = http::request<http::string_body>;
using Parser = http::request_parser<http::string_body>;

constexpr std::uint32_t kMaxHeaderBytes = 16U << 10U;
constexpr std::size_t kMaxClientMessage = 4U << 10U;  // live clients send nothing of use
constexpr std::chrono::seconds kCloseTimeout{2};
constexpr unsigned kWorkers = 2;
// Long requests: how many are handled at a time, and how many more may wait.
constexpr unsigned kPlanners = 2;
constexpr std::size_t kMaxLongRequests = 32;
// Bodies of all requests that come in or are worked on [bytes].
constexpr std::uint64_t kMaxBodyBytesInFlight = std::uint64_t{256} << 20U;
constexpr std::chrono::milliseconds kClientPollInterval{100};  // whether it is still there
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

asio::ip::address addressOf(const std::string& text) {
  error_code error;
  auto address = asio::ip::make_address(text, error);
  if (error) {
    throw Error(ErrorKind::kUsage, "\"" + text + "\" is not an IP address", "--listen",
                "an IP address such as 127.0.0.1 or 0.0.0.0");
  }
  return address;
}

// Connects the parts of a live connection, so that each sees the end of the other.
struct LiveEnd {
  explicit LiveEnd(const asio::any_io_executor& executor) : wake(executor) {}
  asio::steady_timer wake;
  bool closed = false;
};

// A long request, for functions that may cancel it.
struct LongWork {
  std::atomic<bool> stopped{false};
  bool done = false;  // of the io thread
};

// Whether the connection is broken, for instance by a reset of the peer. The end of its input alone
// (POLLRDHUP) does not show that the peer has gone: a client may end its sending side after its
// request and wait for the answer.
bool isBroken(int socket) {
  pollfd look{socket, 0, 0};
  return ::poll(&look, 1, 0) > 0 && (look.revents & (POLLHUP | POLLERR)) != 0;
}

}  // namespace

bool isLoopbackAddress(const std::string& address) { return addressOf(address).is_loopback(); }

class Server::Impl {
 public:
  Impl(const ServerOptions& options, Api& api, LiveHub& live, Metrics& metrics)
      : options_(options), api_(api), live_(live), metrics_(metrics) {
    useCertificate();
    listen();
    asio::co_spawn(io_, acceptAll(), asio::detached);
    thread_ = std::thread([this] { io_.run(); });
  }

  ~Impl() {
    asio::post(io_, [this] {
      closing_ = true;
      error_code ignored;
      acceptor_.close(ignored);
      asio::co_spawn(io_, closeAllConnections(), asio::detached);
    });
    thread_.join();
    for (const auto& weak : long_) {
      if (const auto work = weak.lock()) work->stopped = true;
    }
    workers_.join();
    planners_.join();
  }

  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::size_t connections() const { return connections_; }

 private:
  // Counts a connection during its lifetime.
  class Presence {
   public:
    explicit Presence(Impl& server) : server_(server) {
      ++server_.connections_;
      server_.metrics_.connectionOpened();
    }
    ~Presence() {
      --server_.connections_;
      server_.metrics_.connectionClosed();
    }
    Presence(const Presence&) = delete;
    Presence& operator=(const Presence&) = delete;

   private:
    Impl& server_;
  };

  // Bytes that a request's body may have, as long as it is of interest.
  class BodyShare {
   public:
    BodyShare(std::uint64_t& all, std::uint64_t bytes) : all_(all), bytes_(bytes) {
      all_ += bytes_;
    }
    ~BodyShare() { all_ -= bytes_; }
    BodyShare(const BodyShare&) = delete;
    BodyShare& operator=(const BodyShare&) = delete;

   private:
    std::uint64_t& all_;
    std::uint64_t bytes_;
  };

  void useCertificate() {
    if (options_.certificate.empty() && options_.key.empty()) return;
    tls_.emplace(asio::ssl::context::tls_server);
    tls_->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                      asio::ssl::context::no_tlsv1_1);
    error_code error;
    tls_->use_certificate_chain_file(options_.certificate, error);
    if (error) {
      throw Error(ErrorKind::kUsage, "the certificate cannot be used: " + error.message(),
                  options_.certificate, "a PEM file");
    }
    tls_->use_private_key_file(options_.key, asio::ssl::context::pem, error);
    if (error) {
      throw Error(ErrorKind::kUsage, "the key cannot be used: " + error.message(), options_.key,
                  "the PEM file of the certificate's key");
    }
  }

  void listen() {
    const tcp::endpoint endpoint(addressOf(options_.address), options_.port);
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      throw Error(ErrorKind::kUsage, "cannot listen: " + error.message(),
                  fmt::format("{}:{}", options_.address, options_.port), "another --listen");
    }
    port_ = acceptor_.local_endpoint().port();
  }

  asio::awaitable<void> acceptAll() {
    while (!closing_) {
      auto [error, socket] = co_await acceptor_.async_accept(kTuple);
      if (error) {
        if (closing_) co_return;
        // For instance no descriptors are left: some connection will end.
        asio::steady_timer pause(io_, std::chrono::milliseconds(50));
        co_await pause.async_wait(kTuple);
        continue;
      }
      if (connections_ >= options_.max_connections) continue;  // closes it
      asio::co_spawn(io_, serve(std::move(socket)), asio::detached);
    }
  }

  asio::awaitable<void> serve(tcp::socket socket) {
    const Presence presence(*this);
    try {
      co_await serveConnected(std::move(socket));
    } catch (const std::exception&) {
      // For instance out of memory: ends this connection and nothing else.
    }
  }

  asio::awaitable<void> serveConnected(tcp::socket socket) {
    ByteStream stream(beast::tcp_stream(std::move(socket)), tls_ ? &*tls_ : nullptr);
    if (auto* const tls = stream.tls()) {
      beast::get_lowest_layer(stream).expires_after(options_.request);
      const auto [error] = co_await tls->async_handshake(asio::ssl::stream_base::server, kTuple);
      if (error) co_return;
    }
    co_await serveRequests(std::move(stream));
  }

  asio::awaitable<void> serveRequests(ByteStream stream) {
    beast::flat_buffer buffer(kMaxHeaderBytes + kMaxBodyBytes);
    for (bool more = true; more && !closing_;) {
      beast::get_lowest_layer(stream).expires_after(options_.idle);
      if (!co_await skipEmptyLines(stream, buffer)) break;
      // For the whole request: a slow header takes time from the body.
      const auto until = std::chrono::steady_clock::now() + options_.request;
      beast::get_lowest_layer(stream).expires_at(until);
      std::optional<BodyShare> body;
      std::optional<Parser> reading;
      error_code error = co_await readHeader(stream, buffer, reading);
      Parser& parser = *reading;
      if (!error) {
        if (const auto fault = faultOf(parser.get())) {
          co_await refuse(stream, *fault, parser.get().method());
          break;
        }
        if (const auto refusal = api_.refusal(apiRequestOf(parser.get()))) {
          co_await write(stream, *refusal, answeredAs(parser.get()), false);
          break;
        }
        const std::uint64_t length = bodyLength(parser);
        if (length > 0 && body_bytes_ + length > kMaxBodyBytesInFlight) {
          co_await refuse(stream, {503, "too many bodies come in at a time", "", "try again", {}},
                          parser.get().method());
          break;
        }
        body.emplace(body_bytes_, length);
        if (waitsForContinue(parser) && buffer.size() == 0) co_await writeContinue(stream);
        std::tie(error, std::ignore) = co_await http::async_read(stream, buffer, parser, kTuple);
      }
      if (error) {
        co_await refuseUnread(stream, error, firstLine(buffer));
        break;
      }
      if (websocket::is_upgrade(parser.get())) {
        co_await serveLive(std::move(stream), parser.release());
        co_return;
      }
      more = parser.keep_alive();
      beast::get_lowest_layer(stream).expires_never();
      const ApiRequest request = apiRequestOf(parser.get());
      ApiAnswer answer;
      if (Api::takesLong(request)) {
        co_await workLong(beast::get_lowest_layer(stream).socket().native_handle(), request,
                          answer);
      } else {
        co_await asio::co_spawn(workers_, work(request, answer), asio::use_awaitable);
      }
      more = co_await write(stream, answer, answeredAs(parser.get()), more) && more;
    }
    co_await close(stream);
  }

  // Advances to the first byte of a request; false when there is none. Empty lines before it are
  // skipped (RFC 9112, 2.2): old clients send one after a body.
  static asio::awaitable<bool> skipEmptyLines(ByteStream& stream, beast::flat_buffer& buffer) {
    constexpr std::size_t kPiece = 4096;
    for (;;) {
      const auto* const data = static_cast<const char*>(buffer.data().data());
      std::size_t blank = 0;
      while (blank < buffer.size() && (data[blank] == '\r' || data[blank] == '\n')) ++blank;
      buffer.consume(blank);
      if (buffer.size() > 0) co_return true;
      const auto [error, bytes] = co_await stream.async_read_some(buffer.prepare(kPiece), kTuple);
      if (error) co_return false;
      buffer.commit(bytes);
    }
  }

  // The text of the buffer up to the end of its first line.
  static std::string_view firstLine(const beast::flat_buffer& buffer) {
    const std::string_view text(static_cast<const char*>(buffer.data().data()), buffer.size());
    return text.substr(0, text.find_first_of("\r\n"));
  }

  // Reads the header of the request with which the buffer begins. Later versions of HTTP/1 are read
  // as 1.1 (RFC 9110, 2.5): Beast refuses them and leaves the line in the buffer.
  static asio::awaitable<error_code> readHeader(ByteStream& stream, beast::flat_buffer& buffer,
                                                std::optional<Parser>& parser) {
    for (;;) {
      parser.emplace();
      parser->header_limit(kMaxHeaderBytes);
      parser->body_limit(kMaxBodyBytes);
      const auto [error, bytes] = co_await http::async_read_header(stream, buffer, *parser, kTuple);
      if (error != http::error::bad_version) co_return error;
      const std::string_view line = firstLine(buffer);
      const auto version = requestVersion(line);
      if (!version || *version <= "HTTP/1.1" || *version > "HTTP/1.9") co_return error;
      const auto minor = static_cast<std::size_t>(version->end() - 1 - line.begin());
      static_cast<char*>(buffer.data().data())[minor] = '1';
    }
  }

  // Whether the client waits for "100 Continue" before sending the body (RFC 9110, 10.1.1).
  static bool waitsForContinue(const Parser& parser) {
    return !parser.is_done() && parser.get().version() >= 11 &&
           parser.get().count(http::field::expect) > 0;
  }

  static asio::awaitable<void> writeContinue(ByteStream& stream) {
    // That this fails is seen by reading on.
    co_await asio::async_write(stream, asio::buffer(kContinue.data(), kContinue.size()), kTuple);
  }

  // Answers a request that could not be read, where an answer is useful. `line`: its first line, if
  // the error is of that.
  asio::awaitable<void> refuseUnread(ByteStream& stream, error_code error, std::string_view line) {
    Refusal refusal;
    if (error == http::error::body_limit) {
      refusal = {
          413, "the body is too large", "body", fmt::format("at most {} bytes", kMaxBodyBytes), {}};
    } else if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      refusal = {431,
                 "the header is too large",
                 "header",
                 fmt::format("at most {} bytes", kMaxHeaderBytes),
                 {}};
    } else if (const auto version = requestVersion(line);
               error == http::error::bad_version && version && !version->starts_with("HTTP/1.")) {
      refusal = {505, "this version of HTTP is not known", "", "HTTP/1.1", {}};
    } else if (error.category() == http::make_error_code(http::error::bad_target).category() &&
               error != http::error::end_of_stream && error != http::error::partial_message) {
      refusal = {400, "this is no HTTP request: " + error.message(), "", "", {}};
    } else {
      co_return;  // closed, or timed out
    }
    co_await refuse(stream, refusal, http::verb::unknown);
  }

  // Answers a request without handling it; the connection cannot be used any more.
  asio::awaitable<void> refuse(ByteStream& stream, const Refusal& refusal, http::verb method) {
    metrics_.countRequest(refusal.status);
    const ApiAnswer answer = answerOf(refusal);
    co_await write(stream, answer, {method == http::verb::head, false}, false);
  }

  // Outside of the I/O thread, by co_spawn(). By reference: g++ 12 copies captures of a lambda that
  // is a coroutine bit by bit.
  asio::awaitable<void> work(const ApiRequest& request, ApiAnswer& answer) {
    answer = api_.handle(request);
    co_return;
  }

  // The same on a thread for long requests, until it is done or cancelled.
  asio::awaitable<void> workLong(int socket, const ApiRequest& request, ApiAnswer& answer) {
    std::erase_if(long_, [](const auto& weak) { return weak.expired(); });
    if (long_.size() >= kMaxLongRequests) {
      metrics_.countRequest(503);
      answer =
          answerOf({503, "the server is busy with other plans and reports", "", "try again", {}});
      co_return;
    }
    const auto work = std::make_shared<LongWork>();
    long_.push_back(work);
    asio::co_spawn(io_, watchClient(socket, work), asio::detached);
    co_await asio::co_spawn(planners_, workWithin(request, answer, work), asio::use_awaitable);
    work->done = true;
  }

  asio::awaitable<void> workWithin(const ApiRequest& request, ApiAnswer& answer,
                                   std::shared_ptr<LongWork> work) {
    const WorkScope scope({[work] { return work->stopped.load(); },
                           std::chrono::steady_clock::now() + options_.work,
                           fmt::format("this takes longer than the {} s that the server has for it",
                                       options_.work.count())});
    answer = work->stopped ? answerOf({503, "the request was given up", "", "", {}})
                           : api_.handle(request);
    co_return;
  }

  asio::awaitable<void> watchClient(int socket, std::shared_ptr<LongWork> work) {
    asio::steady_timer timer(io_);
    while (!work->done && !work->stopped) {
      timer.expires_after(kClientPollInterval);
      co_await timer.async_wait(kTuple);
      if (!work->done && (closing_ || isBroken(socket))) work->stopped = true;
    }
  }

  // Largest body of the request, by its header.
  static std::uint64_t bodyLength(const Parser& parser) {
    if (parser.chunked()) return kMaxBodyBytes;
    const auto length = parser.content_length();
    return length ? std::min<std::uint64_t>(*length, kMaxBodyBytes) : 0;
  }

  // Properties of a request that determine the form of its answer.
  struct AnsweredAs {
    bool head_only = false;  // RFC 9110, 9.3.2: the header of the answer to GET
    bool version_1_0 = false;
  };
  static AnsweredAs answeredAs(const Request& request) {
    return {request.method() == http::verb::head, request.version() < 11};
  }

  // RFC 9110, 5.6.7
  static std::string dateText() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, sizeof "Sun, 06 Nov 1994 08:49:37 GMT"> text{};
    std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &utc);
    return text.data();
  }

  asio::awaitable<bool> write(ByteStream& stream, const ApiAnswer& answer, AnsweredAs as,
                              bool keep_alive) {
    http::response<http::string_body> response(static_cast<http::status>(answer.status), 11);
    response.set(http::field::date, dateText());
    response.set(http::field::server, "plumbline");
    if (!answer.allow.empty()) response.set(http::field::allow, answer.allow);
    if (!answer.location.empty()) response.set(http::field::location, answer.location);
    if (!answer.accept_encoding.empty()) {
      response.set(http::field::accept_encoding, answer.accept_encoding);
    }
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    if (!answer.content_type.empty()) response.set(http::field::content_type, answer.content_type);
    if (answer.status == 401) response.set(http::field::www_authenticate, "Bearer");
    response.keep_alive(keep_alive);
    if (answer.status == 426) {  // RFC 9110, 15.5.22; RFC 6455, 4.4
      response.set(http::field::upgrade, "websocket");
      response.set(http::field::sec_websocket_version, kWebSocketVersion);
      response.set(http::field::connection, keep_alive ? "Upgrade" : "Upgrade, close");
    } else if (as.version_1_0 && keep_alive) {
      response.set(http::field::connection, "keep-alive");
    }
    response.body() = answer.body;
    response.prepare_payload();
    if (as.head_only) response.body().clear();                              // its length stays
    if (answer.status == 204) response.erase(http::field::content_length);  // RFC 9110, 8.6
    beast::get_lowest_layer(stream).expires_after(options_.request);
    const auto [error, bytes] = co_await http::async_write(stream, response, kTuple);
    co_return !error;
  }

  asio::awaitable<void> close(ByteStream& stream) {
    beast::get_lowest_layer(stream).expires_after(kCloseTimeout);
    if (auto* const tls = stream.tls()) co_await tls->async_shutdown(kTuple);
    error_code ended;
    beast::get_lowest_layer(stream).socket().shutdown(tcp::socket::shutdown_send, ended);
    // Remaining input is read: closing with unread input would discard the answer.
    std::array<char, 4096> rest{};
    while (!ended) {
      std::size_t bytes = 0;
      std::tie(ended, bytes) =
          co_await beast::get_lowest_layer(stream).async_read_some(asio::buffer(rest), kTuple);
    }
  }

  asio::awaitable<void> serveLive(ByteStream stream, Request request) {
    const Api::Upgrade upgrade = api_.upgrade(apiRequestOf(request));
    if (upgrade.refusal) {
      co_await write(stream, *upgrade.refusal, answeredAs(request), false);
      co_await close(stream);
      co_return;
    }
    const auto socket = std::make_shared<LiveSocket>(std::move(stream));
    beast::get_lowest_layer(*socket).expires_never();
    socket->set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket->read_message_max(kMaxClientMessage);
    const auto [refused] = co_await socket->async_accept(request, kTuple);
    if (refused) co_return;
    socket->text(true);

    const auto end = std::make_shared<LiveEnd>(socket->get_executor());
    end->wake.expires_at(asio::steady_timer::time_point::max());
    const auto subscriber = live_.subscribe(
        upgrade.since, [executor = socket->get_executor(), weak = std::weak_ptr(end)] {
          asio::post(executor, [weak] {
            if (const auto awake = weak.lock()) awake->wake.cancel();
          });
        });
    std::erase_if(ends_, [](const auto& weak) { return weak.expired(); });
    ends_.push_back(end);
    asio::co_spawn(io_, readUntilClosed(socket, end), asio::detached);
    while (!end->closed) {
      const LiveHub::Text text = subscriber->take();
      if (!text && closing_) {
        co_await socket->async_close(websocket::close_code::going_away, kTuple);
        break;
      }
      if (!text) {
        // Later messages are posted to this thread, so that they wake the wait.
        co_await end->wake.async_wait(kTuple);
        end->wake.expires_at(asio::steady_timer::time_point::max());
        continue;
      }
      const auto [error, bytes] = co_await socket->async_write(asio::buffer(*text), kTuple);
      if (error) break;
    }
    error_code ignored;
    beast::get_lowest_layer(*socket).socket().close(ignored);
  }

  // Answers pings and detects the end; other input of a client is ignored.
  asio::awaitable<void> readUntilClosed(std::shared_ptr<LiveSocket> socket,
                                        std::shared_ptr<LiveEnd> end) {
    beast::flat_buffer buffer;
    for (;;) {
      const auto [error, bytes] = co_await socket->async_read(buffer, kTuple);
      buffer.clear();
      if (error) break;
    }
    end->closed = true;
    end->wake.cancel();
    error_code ignored;
    beast::get_lowest_layer(*socket).socket().close(ignored);
  }

  asio::awaitable<void> closeAllConnections() {
    for (const auto& weak : ends_) {
      if (const auto end = weak.lock()) end->wake.cancel();
    }
    const auto until = std::chrono::steady_clock::now() + kCloseTimeout;
    const auto connected = [this] {
      for (const auto& weak : ends_) {
        if (!weak.expired()) return true;
      }
      return false;
    };
    while (connected() && std::chrono::steady_clock::now() < until) {
      close_message_.expires_after(std::chrono::milliseconds(10));
      co_await close_message_.async_wait(kTuple);
    }
    io_.stop();
  }

  const ServerOptions options_;
  Api& api_;
  LiveHub& live_;
  Metrics& metrics_;
  std::atomic<std::size_t> connections_ = 0;
  bool closing_ = false;                       // on the io thread
  std::vector<std::weak_ptr<LiveEnd>> ends_;   // on the io thread
  std::vector<std::weak_ptr<LongWork>> long_;  // likewise
  std::uint64_t body_bytes_ = 0;               // likewise
  std::uint16_t port_ = 0;
  std::optional<asio::ssl::context> tls_;
  asio::thread_pool workers_{kWorkers};
  asio::thread_pool planners_{kPlanners};
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  asio::steady_timer close_message_{io_};
  std::thread thread_;
};

Server::Server(const ServerOptions& options, Api& api, LiveHub& live, Metrics& metrics)
    : impl_(std::make_unique<Impl>(options, api, live, metrics)) {}

Server::~Server() = default;

std::uint16_t Server::port() const { return impl_->port(); }

std::size_t Server::connections() const { return impl_->connections(); }

}  // namespace plumbline::control
