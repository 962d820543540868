#include "control/client.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/ip_address.h"
#include "base/work.h"
#include "control/byte_stream.h"

namespace plumbline::control {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::seconds kConnectTime{10};
constexpr std::uint64_t kMaxAnswerBytes = 1ULL << 30U;
constexpr std::size_t kMaxMessageBytes = 64U << 20U;
constexpr std::chrono::milliseconds kFirstPause{100};
constexpr std::chrono::milliseconds kLongestPause{5000};

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);

struct Exchange {
  http::verb method = http::verb::get;
  std::string target;
  std::string body;
};

// When a request began to leave and when its answer had arrived, if the caller needs it.
struct Stamps {
  const HostClock& clock;
  std::int64_t sent_ns = 0;
  std::int64_t returned_ns = 0;
};

using Raw = Outcome<std::string>;  // the body of a success

Refusal unreachable(const std::string& step, const error_code& error) {
  return {0, step + ": " + error.message(), "", "is a server running there?", {}};
}

Raw rawOf(int status, const std::string& body) {
  if (status >= 200 && status < 300) return body;
  Refusal refusal;
  if (!fromJson(body, refusal)) {
    refusal = {status, "the server answered with status " + std::to_string(status), "", "", {}};
  }
  return refusal;
}

template <typename T>
Outcome<T> decoded(const Raw& raw) {
  if (!raw.ok()) return raw.refusal();
  if constexpr (std::is_same_v<T, std::string>) {
    return raw.value();
  } else if constexpr (std::is_same_v<T, Nothing>) {
    return Nothing();
  } else {
    T value{};
    if (fromJson(raw.value(), value)) return value;
    return Refusal{0,
                   "the answer has a form that this client does not know",
                   "",
                   "client and server of the same version",
                   {}};
  }
}

}  // namespace

class Client::Impl {
 public:
  explicit Impl(ServerAddress address) : address_(std::move(address)) {
    if (address_.tls) trust();
    thread_ = std::thread([this] { io_.run(); });
  }

  ~Impl() {
    io_.stop();
    thread_.join();
  }

  [[nodiscard]] const ServerAddress& address() const { return address_; }

  template <typename T>
  void call(Exchange exchange, Callback<T> done) {
    asio::co_spawn(io_, answer<T>(std::move(exchange), std::move(done)), asio::detached);
  }

  void clock(const HostClock& here, Callback<ClockExchange> done) {
    asio::co_spawn(io_, queryClock(here, std::move(done)), asio::detached);
  }

  // Adds the runs after `before`, which are known already.
  void runs(std::vector<RunState> before, Callback<std::vector<RunState>> done) {
    std::string target = "/api/v1/runs";
    if (!before.empty()) target += "?since=" + std::to_string(before.back().id);
    call<std::vector<RunState>>(
        {http::verb::get, std::move(target), {}},
        [this, before = std::move(before),
         done = std::move(done)](const Outcome<std::vector<RunState>>& page) mutable {
          if (!page.ok()) return done(page);
          before.insert(before.end(), page.value().begin(), page.value().end());
          if (page.value().size() < kMaxListedRuns) return done(std::move(before));
          runs(std::move(before), std::move(done));
        });
  }

  void watch(std::uint64_t since, LiveCallbacks callbacks) {
    asio::post(io_, [this, since, callbacks = std::move(callbacks)]() mutable {
      endWatch();
      asio::co_spawn(io_, follow(since, std::move(callbacks), watch_.number), asio::detached);
    });
  }

  void unwatch() {
    asio::post(io_, [this] { endWatch(); });
  }

 private:
  // State of the followed stream; another number ends the previous one.
  struct Watch {
    std::uint64_t number = 0;
    std::function<void()> cut;  // ends its connection or its pause
  };

  void trust() {
    tls_.emplace(asio::ssl::context::tls_client);
    tls_->set_verify_mode(asio::ssl::verify_peer);
    error_code error;
    if (address_.ca_file.empty()) {
      tls_->set_default_verify_paths(error);
    } else {
      tls_->load_verify_file(address_.ca_file, error);
    }
    if (error) {
      throw Error(ErrorKind::kUsage, "the certificates cannot be read: " + error.message(),
                  address_.ca_file, "a PEM file");
    }
  }

  [[nodiscard]] std::string hostField() const {
    const bool v6 = address_.host.find(':') != std::string::npos;
    return (v6 ? "[" + address_.host + "]" : address_.host) + ":" + std::to_string(address_.port);
  }

  template <typename Fields>
  void addFields(Fields& fields) const {
    fields.set(http::field::host, hostField());
    fields.set(http::field::user_agent, "plumbline");
    if (!address_.token.empty()) {
      fields.set(http::field::authorization, "Bearer " + address_.token);
    }
  }

  ByteStream unconnected() { return {beast::tcp_stream(io_), tls_ ? &*tls_ : nullptr}; }

  // Empty when `stream` is connected.
  asio::awaitable<std::optional<Refusal>> connect(ByteStream& stream) {
    tcp::resolver resolver(io_);
    const auto [unresolved, endpoints] =
        co_await resolver.async_resolve(address_.host, std::to_string(address_.port), kTuple);
    if (unresolved) co_return unreachable("cannot find " + address_.host, unresolved);
    beast::get_lowest_layer(stream).expires_after(kConnectTime);
    const auto [refused, endpoint] =
        co_await beast::get_lowest_layer(stream).async_connect(endpoints, kTuple);
    if (refused) co_return unreachable("cannot connect to " + hostField(), refused);
    if (auto* const tls = stream.tls()) {
      tls->set_verify_callback(asio::ssl::host_name_verification(address_.host));
      if (SSL_set_tlsext_host_name(tls->native_handle(), address_.host.c_str()) != 1) {
        co_return Refusal{0, "TLS cannot be set up", address_.host, "", {}};
      }
      const auto [untrusted] =
          co_await tls->async_handshake(asio::ssl::stream_base::client, kTuple);
      if (untrusted) {
        co_return Refusal{0,
                          "TLS failed: " + untrusted.message(),
                          hostField(),
                          "does --ca name the server's certificate authority?",
                          {}};
      }
    }
    co_return std::nullopt;
  }

  template <typename T>
  asio::awaitable<void> answer(Exchange exchange, Callback<T> done) {
    const Raw raw = co_await exchangeOnce(exchange, nullptr);
    if (done) done(decoded<T>(raw));
  }

  asio::awaitable<void> queryClock(HostClock here, Callback<ClockExchange> done) {
    const Exchange exchange{http::verb::get, "/api/v1/clock", {}};
    Stamps stamps{here};
    const auto reading = decoded<ClockReading>(co_await exchangeOnce(exchange, &stamps));
    if (!reading.ok()) {
      done(reading.refusal());
    } else {
      done(ClockExchange{stamps.sent_ns, reading.value().received_ns, reading.value().answered_ns,
                         stamps.returned_ns});
    }
  }

  asio::awaitable<Raw> exchangeOnce(const Exchange& exchange, Stamps* stamps) {
    ByteStream stream = unconnected();
    co_return co_await transact(stream, exchange, stamps);
  }

  asio::awaitable<Raw> transact(ByteStream& stream, const Exchange& exchange, Stamps* stamps) {
    if (const auto refusal = co_await connect(stream)) co_return *refusal;
    http::request<http::string_body> request(exchange.method, exchange.target, 11);
    addFields(request);
    request.keep_alive(false);
    if (exchange.method == http::verb::post) {
      request.set(http::field::content_type, "application/json");
    }
    request.body() = exchange.body;
    request.prepare_payload();
    beast::get_lowest_layer(stream).expires_after(kAnswerTime);
    if (stamps != nullptr) stamps->sent_ns = stamps->clock.nowNs();
    const auto [unsent, sent] = co_await http::async_write(stream, request, kTuple);
    if (unsent) co_return unreachable("the request was not taken", unsent);
    beast::flat_buffer buffer;
    http::response_parser<http::string_body> parser;
    parser.body_limit(std::min(kMaxAnswerBytes, memoryLimit() / 4));
    const auto [unread, read] = co_await http::async_read(stream, buffer, parser, kTuple);
    if (stamps != nullptr) stamps->returned_ns = stamps->clock.nowNs();
    if (unread) co_return unreachable("there was no answer", unread);
    co_return rawOf(static_cast<int>(parser.get().result_int()), parser.get().body());
  }

  void endWatch() {
    ++watch_.number;
    if (const auto cut = std::exchange(watch_.cut, nullptr)) cut();
  }

  asio::awaitable<void> follow(std::uint64_t since, LiveCallbacks callbacks, std::uint64_t number) {
    std::string instance;
    for (std::chrono::milliseconds pause = kFirstPause; watch_.number == number;) {
      const std::uint64_t before = since;
      websocket::stream<ByteStream> socket(unconnected());
      const Refusal reason = co_await listen(socket, since, instance, callbacks, number);
      if (watch_.number != number) co_return;
      if (callbacks.disconnected) callbacks.disconnected(reason);
      pause = since != before ? kFirstPause : std::min(pause * 2, kLongestPause);
      asio::steady_timer timer(io_, pause);
      watch_.cut = [&timer] { timer.cancel(); };
      co_await timer.async_wait(kTuple);
      if (watch_.number == number) watch_.cut = nullptr;
    }
  }

  // One connection until it breaks; why it did.
  asio::awaitable<Refusal> listen(websocket::stream<ByteStream>& socket, std::uint64_t& since,
                                  std::string& instance, const LiveCallbacks& callbacks,
                                  std::uint64_t number) {
    watch_.cut = [&socket] { beast::get_lowest_layer(socket).cancel(); };
    if (const auto refusal = co_await connect(socket.next_layer())) co_return *refusal;
    beast::get_lowest_layer(socket).expires_never();
    socket.set_option(websocket::stream_base::timeout::suggested(beast::role_type::client));
    socket.set_option(websocket::stream_base::decorator(
        [this](websocket::request_type& request) { addFields(request); }));
    socket.read_message_max(kMaxMessageBytes);
    websocket::response_type response;
    const auto [refused] = co_await socket.async_handshake(
        response, hostField(), "/api/v1/live?since=" + std::to_string(since), kTuple);
    if (refused) {
      if (response.result_int() < 400) {
        co_return unreachable("the live stream was not opened", refused);
      }
      co_return rawOf(static_cast<int>(response.result_int()), response.body()).refusal();
    }
    beast::flat_buffer buffer;
    for (;;) {
      const auto [broken, bytes] = co_await socket.async_read(buffer, kTuple);
      if (broken) co_return unreachable("the connection broke", broken);
      if (watch_.number != number) co_return Refusal{};
      const auto data = buffer.cdata();
      const auto message = parseMessage({static_cast<const char*>(data.data()), data.size()});
      buffer.consume(buffer.size());
      if (!message) continue;  // of a newer server
      if (const auto* hello = std::get_if<LiveHello>(&*message)) {
        const bool anew = !instance.empty() && hello->instance != instance;
        instance = hello->instance;
        if (anew && since > 0) {
          since = 0;
          co_return Refusal{0, "the server was started anew", "", "", {}};
        }
      }
      dispatch(*message, since, callbacks);
    }
  }

  static void dispatch(const LiveMessage& message, std::uint64_t& since,
                       const LiveCallbacks& callbacks) {
    if (const auto* hello = std::get_if<LiveHello>(&message)) {
      if (callbacks.connected) callbacks.connected(*hello);
    } else if (const auto* interval = std::get_if<LiveInterval>(&message)) {
      since = interval->sequence;
      if (callbacks.interval) callbacks.interval(*interval);
    } else if (const auto* run = std::get_if<RunState>(&message)) {
      if (callbacks.run) callbacks.run(*run);
    } else if (callbacks.lost) {
      callbacks.lost(std::get<LiveLost>(message).count);
    }
  }

  const ServerAddress address_;
  std::optional<asio::ssl::context> tls_;
  Watch watch_;  // on the io thread
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  std::thread thread_;
};

Client::Client(ServerAddress address) {
  if (!address.token.empty() && !address.tls && !isLoopbackHost(address.host)) {
    throw Error(ErrorKind::kUsage, "the token would go over the network in clear",
                "http://" + address.host, "https://, or a server on this machine");
  }
  impl_ = std::make_unique<Impl>(std::move(address));
}
Client::~Client() = default;

const ServerAddress& Client::address() const { return impl_->address(); }

namespace {

Exchange get(std::string target) { return {http::verb::get, std::move(target), {}}; }
Exchange post(std::string target, std::string body = {}) {
  return {http::verb::post, std::move(target), std::move(body)};
}
std::string runTarget(std::int64_t id, const char* what = "") {
  return "/api/v1/runs/" + std::to_string(id) + what;
}

}  // namespace

void Client::capabilities(Callback<ServerCapabilities> done) {
  impl_->call(get("/api/v1/capabilities"), std::move(done));
}
void Client::clock(const HostClock& here, Callback<ClockExchange> done) {
  impl_->clock(here, std::move(done));
}
void Client::ports(Callback<std::vector<PortState>> done) {
  impl_->call(get("/api/v1/ports"), std::move(done));
}
void Client::reserve(const ReservationRequest& request, Callback<Reservation> done) {
  impl_->call(post("/api/v1/reservations", toJson(request)), std::move(done));
}
void Client::release(const std::string& reservation, Callback<Nothing> done) {
  impl_->call({http::verb::delete_, "/api/v1/reservations/" + reservation, {}}, std::move(done));
}
void Client::scenarios(Callback<std::vector<ScenarioListing>> done) {
  impl_->call(get("/api/v1/scenarios"), std::move(done));
}
void Client::scenario(const std::string& name, Callback<ScenarioText> done) {
  impl_->call(get("/api/v1/scenarios/" + name), std::move(done));
}
void Client::validate(const ScenarioRequest& request, Callback<ValidationAnswer> done) {
  impl_->call(post("/api/v1/scenarios/validate", toJson(request)), std::move(done));
}
void Client::plan(const ScenarioRequest& request, Callback<PlanAnswer> done) {
  impl_->call(post("/api/v1/scenarios/plan", toJson(request)), std::move(done));
}
void Client::runs(Callback<std::vector<RunState>> done) { impl_->runs({}, std::move(done)); }
void Client::run(std::int64_t id, Callback<RunState> done) {
  impl_->call(get(runTarget(id)), std::move(done));
}
void Client::start(const RunRequest& request, Callback<RunState> done) {
  impl_->call(post("/api/v1/runs", toJson(request)), std::move(done));
}
void Client::order(std::int64_t id, const TrialOrder& order, Callback<RunState> done) {
  impl_->call(post(runTarget(id, "/start"), toJson(order)), std::move(done));
}
void Client::stop(std::int64_t id, Callback<RunState> done) {
  impl_->call(post(runTarget(id, "/stop")), std::move(done));
}
void Client::resume(std::int64_t id, Callback<RunState> done) {
  impl_->call(post(runTarget(id, "/resume")), std::move(done));
}
void Client::trials(std::int64_t id, std::uint64_t since, Callback<TrialPage> done) {
  impl_->call(get(runTarget(id, "/trials?since=") + std::to_string(since)), std::move(done));
}
void Client::log(std::int64_t id, std::uint64_t since, Callback<std::string> done) {
  impl_->call(get(runTarget(id, "/log?since=") + std::to_string(since)), std::move(done));
}
void Client::results(std::int64_t id, Callback<std::string> done) {
  impl_->call(get(runTarget(id, "/results")), std::move(done));
}
void Client::summary(std::int64_t id, Callback<std::string> done) {
  impl_->call(get(runTarget(id, "/summary")), std::move(done));
}

void Client::tables(std::int64_t id, Callback<std::string> done) {
  impl_->call(get(runTarget(id, "/tables")), std::move(done));
}
void Client::report(std::int64_t id, Callback<std::string> done) {
  impl_->call(get(runTarget(id, "/report")), std::move(done));
}
void Client::capture(std::int64_t id, Callback<std::string> done) {
  impl_->call(get(runTarget(id, "/capture")), std::move(done));
}
void Client::watch(std::uint64_t since, LiveCallbacks callbacks) {
  impl_->watch(since, std::move(callbacks));
}
void Client::unwatch() { impl_->unwatch(); }

}  // namespace plumbline::control
