#include "control/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "bench/registry.h"
#include "control/refused.h"
#include "control/scenario_api.h"
#include "results/export.h"
#include "results/test_result.h"
#include "session/reporting.h"
#include "suite/procedure.h"

namespace plumbline::control {
namespace {

constexpr std::string_view kRoot = "/api/v1/";
constexpr const char* kJson = "application/json";
constexpr const char* kText = "text/plain; charset=utf-8";

template <typename T>
ApiAnswer answer(int status, const T& value) {
  return {status, kJson, toJson(value)};
}

template <typename T>
T bodyOf(const ApiRequest& request) {
  if (!request.content_type.starts_with(kJson)) {
    throw Refused(415, "the body is not said to be JSON", "Content-Type", kJson);
  }
  T value;
  const std::string fault = readRequest(request.body, value);
  if (!fault.empty()) throw Refused(400, fault, "body", "docs/openapi.yaml describes it");
  return value;
}

// The rest of `text` behind `prefix`, if it begins with it.
std::optional<std::string_view> behind(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

std::string_view pathOf(const ApiRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

template <typename T>
std::optional<T> numberIn(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Takes as long for any wrong token of the same length.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

// The number behind `name=`, all that a query may be; nothing when there is no query.
std::optional<std::uint64_t> queried(const ApiRequest& request, std::string_view name) {
  const std::string_view target = request.target;
  const auto question = target.find('?');
  if (question == std::string_view::npos) return std::nullopt;
  const auto text = behind(target.substr(question + 1), name);
  const auto number = text ? numberIn<std::uint64_t>(*text) : std::nullopt;
  if (!number) {
    throw Refused(400, "the query is not understood", request.target, std::string(name) + "N");
  }
  return number;
}

// "127.0.0.1:8470" and its like, as the Host of a request.
bool isLoopback(std::string_view host) {
  if (const auto end = host.find(']'); host.starts_with('[') && end != std::string_view::npos) {
    return host.substr(0, end + 1) == "[::1]";
  }
  const std::string_view name = host.substr(0, host.find(':'));
  return name == "localhost" || name.starts_with("127.");
}

void require(const ApiRequest& request, const char* method) {
  if (request.method != method) {
    throw Refused(405, request.method + " is not for this resource", request.target, method);
  }
}

[[noreturn]] void notFound(const ApiRequest& request) {
  throw Refused(404, "there is no such resource", request.target, "docs/openapi.yaml lists them");
}

}  // namespace

ApiAnswer answerOf(const Refusal& refusal) { return answer(refusal.status, refusal); }

Api::Api(const Parts& parts, Access access) : parts_(parts), access_(std::move(access)) {
  parts_.live.setListener(&parts_.metrics.liveListener());
}

// Browsers send an Origin; one of another site must not steer a tester, with or without a token.
// That a name of another site may lead to loopback is why the Host is looked at.
void Api::admit(const ApiRequest& request) const {
  if (!access_.token.empty()) {
    const auto token = behind(request.authorization, "Bearer ");
    if (!token || !same(*token, access_.token)) {
      throw Refused(401, token ? "the token is wrong" : "a token is needed", "Authorization",
                    "Bearer and the token of the server's --token-file");
    }
  }
  if (access_.only_local && !isLoopback(request.host)) {
    throw Refused(403, "this server answers to loopback names only", "Host", "localhost");
  }
  if (!request.origin.empty() && request.origin != "http://" + request.host &&
      request.origin != "https://" + request.host) {
    throw Refused(403, "requests from other sites are refused", "Origin");
  }
}

ApiAnswer Api::handle(const ApiRequest& request) {
  ApiAnswer answer;
  try {
    admit(request);
    answer = dispatch(request);
  } catch (const Refused& refused) {
    answer = answerOf(refused.refusal());
  } catch (const std::exception& fault) {
    answer = answerOf({500, fault.what(), request.target, "", {}});
  }
  parts_.metrics.countRequest(answer.status);
  return answer;
}

Api::Upgrade Api::upgrade(const ApiRequest& request) {
  Upgrade upgrade;
  try {
    admit(request);
    if (pathOf(request) != "/api/v1/live") notFound(request);
    upgrade.since = queried(request, "since=").value_or(0);
  } catch (const Refused& refused) {
    upgrade.refusal = answerOf(refused.refusal());
  }
  parts_.metrics.countRequest(upgrade.refusal ? upgrade.refusal->status : 101);
  return upgrade;
}

ApiAnswer Api::dispatch(const ApiRequest& request) {
  const std::string_view path = pathOf(request);
  if (path == "/metrics") {
    require(request, "GET");
    return {200, "text/plain; version=0.0.4", metricsText()};
  }
  const auto resource = behind(path, kRoot);
  if (!resource) notFound(request);
  if (*resource == "capabilities") {
    require(request, "GET");
    return answer(200, capabilities());
  }
  if (*resource == "clock") {
    require(request, "GET");
    const std::int64_t received = parts_.runs.clock().nowNs();
    return answer(200, ClockReading{received, parts_.runs.clock().nowNs()});
  }
  if (*resource == "ports") {
    require(request, "GET");
    return answer(200, parts_.ports.list());
  }
  if (*resource == "reservations") {
    require(request, "POST");
    return answer(201, parts_.ports.reserve(bodyOf<ReservationRequest>(request)));
  }
  if (const auto id = behind(*resource, "reservations/")) {
    require(request, "DELETE");
    parts_.ports.release(std::string(*id));
    return {204, {}, {}};
  }
  if (*resource == "live") {
    throw Refused(426, "the live stream is a WebSocket", request.target, "Upgrade: websocket");
  }
  if (const auto rest = behind(*resource, "scenarios")) return dispatchScenario(*rest, request);
  if (const auto rest = behind(*resource, "runs")) return dispatchRun(*rest, request);
  notFound(request);
}

ApiAnswer Api::dispatchScenario(std::string_view rest, const ApiRequest& request) {
  if (rest == "/validate") {
    require(request, "POST");
    return answer(200, validate(bodyOf<ScenarioRequest>(request)));
  }
  if (rest == "/plan") {
    require(request, "POST");
    return answer(200, plan(bodyOf<ScenarioRequest>(request)));
  }
  require(request, "GET");
  if (rest.empty()) return answer(200, listScenarios());
  if (const auto name = behind(rest, "/")) return answer(200, showScenario(std::string(*name)));
  notFound(request);
}

ApiAnswer Api::dispatchRun(std::string_view rest, const ApiRequest& request) {
  if (rest.empty()) {
    if (request.method == "GET") return answer(200, parts_.runs.list());
    require(request, "POST");
    return startRun(request);
  }
  const auto named = behind(rest, "/");
  if (!named) notFound(request);
  const std::string_view number = named->substr(0, named->find('/'));
  const std::string_view action = named->substr(number.size());
  const auto run = numberIn<std::int64_t>(number);
  if (!run) notFound(request);
  if (action == "/start") {
    require(request, "POST");
    return answer(202, parts_.runs.order(*run, bodyOf<TrialOrder>(request)));
  }
  if (action == "/stop") {
    require(request, "POST");
    return answer(202, parts_.runs.stop(*run));
  }
  if (action == "/resume") {
    require(request, "POST");
    return answer(201, parts_.runs.resume(*run));
  }
  require(request, "GET");
  if (action.empty()) return answer(200, parts_.runs.state(*run));
  const RunArchive& stored = parts_.runs.archive();
  if (action == "/trials") {
    return answer(200, stored.trials(*run, queried(request, "since=").value_or(0)));
  }
  if (action == "/log") {
    return {200, "application/x-ndjson", stored.log(*run, queried(request, "since=").value_or(0))};
  }
  if (action == "/results") return {200, kJson, results::exportJson(stored.load(*run))};
  if (action == "/summary") return {200, kText, stored.summary(*run)};
  if (action == "/tables") return {200, kText, stored.tables(*run)};
  if (action == "/report") return {200, "text/html; charset=utf-8", stored.report(*run)};
  if (action == "/capture") return {200, "application/x-pcapng", parts_.runs.capture(*run)};
  notFound(request);
}

ApiAnswer Api::startRun(const ApiRequest& request) {
  const auto asked = bodyOf<RunRequest>(request);
  const RunState begun = parts_.runs.start(asked);
  if (asked.start && asked.start->clock_offset_ns) {
    parts_.metrics.clockFound(*asked.start->clock_offset_ns,
                              asked.start->clock_uncertainty_ns.value_or(0));
  }
  return answer(201, begun);
}

ServerCapabilities Api::capabilities() const {
  ServerCapabilities all;
  all.software = session::softwareName();
  all.machine = session::machineName();
  all.instance = parts_.live.instance();
  all.max_body_bytes = kMaxBodyBytes;
  for (const bench::BenchInfo& info : bench::benches()) {
    const auto bench = bench::makeBench(info.name, {});
    const bench::Capabilities& can = bench->capabilities();
    all.benches.push_back({info.name, can.description, can.max_ports,
                           static_cast<std::uint64_t>(can.line_rate.bitsPerSecond()),
                           can.timestamp_resolution.count(), can.simulated_dut,
                           std::string(results::observationPointName(can.observed))});
  }
  for (const suite::Procedure* test : suite::procedures()) {
    all.tests.push_back({test->id(), test->title(), test->onHosts()});
  }
  return all;
}

std::string Api::metricsText() {
  Metrics::Levels levels;
  levels.runs_active = parts_.runs.active();
  levels.live_clients = parts_.live.subscribers();
  levels.live_intervals = parts_.live.intervals();
  levels.live_intervals_lost = parts_.live.lost();
  levels.live_bytes = parts_.live.keptBytes();
  for (const PortState& port : parts_.ports.list()) {
    ++levels.ports;
    if (port.state == "running" || port.state == "reserved") ++levels.ports_taken;
  }
  return parts_.metrics.text(levels);
}

}  // namespace plumbline::control
