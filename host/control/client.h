// The API's client for programs: the desktop window, `plumbline run --server`, `plumbline top`.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "control/api_types.h"
#include "control/clock_offset.h"
#include "control/host_clock.h"
#include "control/live_interval.h"
#include "control/live_message.h"

namespace plumbline::control {

// Timeout for an answer; planning a large fabric takes long.
inline constexpr std::chrono::seconds kAnswerTime{120};

struct ServerAddress {
  std::string host = "127.0.0.1";
  std::uint16_t port = kDefaultPort;
  std::string token;  // empty = none
  bool tls = false;
  std::string ca_file;  // PEM of the server's certificate authority; empty = the system's

  // "HOST", "HOST:PORT", "[::1]:8470", each with "http://" or "https://" before it if wanted. TLS
  // is on for https, and without a scheme for every host except loopback. Throws Error(kUsage).
  static ServerAddress parse(const std::string& text);
};

// An answer, or why there is none.
template <typename T>
class Outcome {
 public:
  Outcome(T value) : content_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  Outcome(Refusal refusal) : content_(std::move(refusal)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return std::holds_alternative<T>(content_); }
  // Only when ok().
  [[nodiscard]] const T& value() const { return std::get<T>(content_); }
  // Only when not ok().
  [[nodiscard]] const Refusal& refusal() const { return std::get<Refusal>(content_); }

 private:
  std::variant<T, Refusal> content_;
};

struct Nothing {};

// All are called on the client's thread and may be empty.
struct LiveCallbacks {
  std::function<void(const LiveHello&)> connected;
  std::function<void(const LiveInterval&)> interval;
  // A run began, changed its status or ended.
  std::function<void(const RunState&)> run;
  // Number of intervals that are lost: the server no longer keeps them, or this client read too
  // slowly.
  std::function<void(std::uint64_t)> lost;
  // The connection broke. The client reconnects by itself, with growing pauses of up to 5 s, and
  // continues after the last interval that arrived; then it calls `connected`.
  std::function<void(const Refusal&)> disconnected;
};

// Asynchronous: every function returns at once. Callbacks are called one at a time on the client's
// own thread, never from within a call; they must not block and must not destroy the client. The
// destructor cancels everything; no callback follows it.
class Client {
 public:
  template <typename T>
  using Callback = std::function<void(const Outcome<T>&)>;

  // Connects on demand. Throws Error(kUsage) for an unreadable CA file, and for a token that would
  // leave this machine without TLS.
  explicit Client(ServerAddress address);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] const ServerAddress& address() const;

  void capabilities(Callback<ServerCapabilities> done);
  // One exchange of times with the server, over an existing connection, so that only the two
  // messages' travel times count.
  void clock(const HostClock& here, Callback<ClockExchange> done);

  void ports(Callback<std::vector<PortState>> done);
  void reserve(const ReservationRequest& request, Callback<Reservation> done);
  void release(const std::string& reservation, Callback<Nothing> done);

  void scenarios(Callback<std::vector<ScenarioListing>> done);
  void scenario(const std::string& name, Callback<ScenarioText> done);
  void validate(const ScenarioRequest& request, Callback<ValidationAnswer> done);
  void plan(const ScenarioRequest& request, Callback<PlanAnswer> done);

  // All runs, in as many requests as needed.
  void runs(Callback<std::vector<RunState>> done);
  void run(std::int64_t id, Callback<RunState> done);
  void start(const RunRequest& request, Callback<RunState> done);
  // For a trial that waits for a common start.
  void order(std::int64_t id, const TrialOrder& order, Callback<RunState> done);
  // Stops after the current trial.
  void stop(std::int64_t id, Callback<RunState> done);
  void resume(std::int64_t id, Callback<RunState> done);

  // Trials from number `since` on, counted from 0; as many as fit into an answer.
  void trials(std::int64_t id, std::uint64_t since, Callback<TrialPage> done);
  // From byte `since` on, whole lines of JSON, one for each completed trial; as many as fit into an
  // answer.
  void log(std::int64_t id, std::uint64_t since, Callback<std::string> done);
  // JSON as docs/result.schema.json describes it.
  void results(std::int64_t id, Callback<std::string> done);
  // The final text of `plumbline run`.
  void summary(std::int64_t id, Callback<std::string> done);
  void tables(std::int64_t id, Callback<std::string> done);
  // One self-contained HTML file.
  void report(std::int64_t id, Callback<std::string> done);
  // pcapng.
  void capture(std::int64_t id, Callback<std::string> done);

  // Follows the live stream from the interval after `since` on (0: from the oldest kept) until
  // unwatch(), through broken connections. One stream per client; another call replaces it.
  void watch(std::uint64_t since, LiveCallbacks callbacks);
  void unwatch();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace plumbline::control
