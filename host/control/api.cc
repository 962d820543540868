#include "control/api.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ip_address.h"
#include "base/whole_number.h"
#include "base/work.h"
#include "bench/trial/registry.h"
#include "control/http_rules.h"
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

ApiAnswer content(const char* type, std::string body) {
  ApiAnswer answer;
  answer.content_type = type;
  answer.body = std::move(body);
  return answer;
}

template <typename T>
ApiAnswer answer(int status, const T& value) {
  ApiAnswer answer = content(kJson, toJson(value));
  answer.status = status;
  return answer;
}

// Success, without a body.
ApiAnswer nothing(std::string allow = {}) {
  ApiAnswer answer;
  answer.status = 204;
  answer.allow = std::move(allow);
  return answer;
}

// `value` was made, and is now to be found at `resource` of the API.
template <typename T>
ApiAnswer made(const T& value, const std::string& resource) {
  ApiAnswer made = answer(201, value);
  made.location = std::string(kRoot) + resource;
  return made;
}

template <typename T>
T bodyOf(const ApiRequest& request) {
  if (mediaType(request.content_type) != kJson) {
    throw Refused(415, "the body is not said to be JSON", "Content-Type", kJson);
  }
  T value;
  const std::string fault = readRequest(request.body, value);
  if (!fault.empty()) throw Refused(400, fault, "body", "docs/openapi.yaml describes it");
  return value;
}

// The rest of `text` after `prefix`, if it begins with it.
std::optional<std::string_view> behind(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return text.substr(prefix.size());
}

std::string_view pathOf(const ApiRequest& request) {
  return std::string_view(request.target).substr(0, request.target.find('?'));
}

// Takes equally long for any wrong token of the same length.
bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

// The number after `name=`, the only allowed query; nothing without a query.
std::optional<std::uint64_t> queried(const ApiRequest& request, std::string_view name) {
  const std::string_view target = request.target;
  const auto question = target.find('?');
  if (question == std::string_view::npos || question + 1 == target.size()) return std::nullopt;
  const auto text = behind(target.substr(question + 1), name);
  const auto number = text ? wholeNumber(*text).value : std::nullopt;
  if (!number) {
    throw Refused(400, "the query is not understood", request.target, std::string(name) + "N");
  }
  return number;
}

// "127.0.0.1:8470" and its like, as the Host of a request.
bool isLoopback(const std::string& host) {
  const auto name = hostName(host);
  return name && isLoopbackHost(*name);
}

constexpr std::string_view kGet = "GET";
constexpr std::string_view kPost = "POST";
constexpr std::string_view kDelete = "DELETE";

// The request's method is one of `methods`. Where GET is, HEAD is too.
void require(const ApiRequest& request, std::initializer_list<std::string_view> methods) {
  std::string allowed;
  for (const std::string_view method : methods) {
    if (request.method == method || (request.method == "HEAD" && method == kGet)) return;
    allowed += std::string(method) + (method == kGet ? ", HEAD, " : ", ");
  }
  if (!isKnownMethod(request.method)) {
    throw Refused(501, "this method is not known", request.method, allowed + "OPTIONS");
  }
  throw Refused(405, request.method + " is not for this resource", request.target,
                allowed + "OPTIONS");
}

[[noreturn]] void notFound(const ApiRequest& request) {
  throw Refused(404, "there is no such resource", request.target, "docs/openapi.yaml lists them");
}

}  // namespace

ApiAnswer answerOf(const Refusal& refusal) {
  ApiAnswer refused = answer(refusal.status, refusal);
  if (refusal.status == 405) refused.allow = refusal.remedy;  // says the methods: require()
  // RFC 9110, 12.5.3: only then, so that a client can tell it from an unknown media type.
  if (refusal.status == 415 && refusal.where == kContentEncoding) {
    refused.accept_encoding = refusal.remedy;
  }
  return refused;
}

Api::Api(const Parts& parts, Access access) : parts_(parts), access_(std::move(access)) {
  parts_.live.setListener(&parts_.metrics.liveListener());
}

// Browsers send an Origin; another site must not control a tester, with or without a token. The
// Host is checked because another site's name may resolve to loopback (DNS rebinding). A request
// without one, which only HTTP/1.0 allows, is not of a browser: they speak HTTP/1.1 and later.
void Api::admit(const ApiRequest& request) const {
  if (!access_.token.empty()) {
    const auto token = bearerToken(request.authorization);
    if (!token || !same(*token, access_.token)) {
      throw Refused(401, token ? "the token is wrong" : "a token is needed", "Authorization",
                    "Bearer and the token of the server's --token-file");
    }
  }
  if (access_.only_local && request.host && !isLoopback(*request.host)) {
    throw Refused(403, "this server answers to loopback names only", "Host", "localhost");
  }
  const std::string origin = lowerCase(request.origin);
  const std::string host = lowerCase(request.host.value_or(""));
  if (!origin.empty() && origin != "http://" + host && origin != "https://" + host) {
    throw Refused(403, "requests from other sites are refused", "Origin");
  }
}

std::optional<ApiAnswer> Api::refusal(const ApiRequest& request) {
  try {
    admit(request);
    return std::nullopt;
  } catch (const Refused& refused) {
    parts_.metrics.countRequest(refused.refusal().status);
    return answerOf(refused.refusal());
  }
}

bool Api::takesLong(const ApiRequest& request) {
  const auto resource = behind(pathOf(request), kRoot);
  if (!resource) return false;
  if (request.method == kPost) {
    return resource->starts_with("scenarios/") || *resource == "runs" ||
           resource->ends_with("/resume");
  }
  return resource->starts_with("runs/") &&
         (resource->ends_with("/report") || resource->ends_with("/tables") ||
          resource->ends_with("/summary") || resource->ends_with("/results"));
}

ApiAnswer Api::handle(const ApiRequest& request) {
  ApiAnswer answer;
  try {
    admit(request);
    answer = dispatch(request);
  } catch (const Refused& refused) {
    answer = answerOf(refused.refusal());
    // OPTIONS returns the allowed methods.
    if (answer.status == 405 && request.method == "OPTIONS") {
      answer = nothing(answer.allow);
    }
  } catch (const WorkStopped&) {
    answer = answerOf({503, "the request was given up", request.target, "", {}});
  } catch (const Error& error) {
    const bool asked = error.kind() == ErrorKind::kUsage || error.kind() == ErrorKind::kUnsupported;
    answer = answerOf({asked ? 422 : 500, error.what(), error.where(), error.remedy(), {}});
  } catch (const std::exception& fault) {
    answer = answerOf({500, faultText(fault), request.target, "", {}});
  }
  parts_.metrics.countRequest(answer.status);
  return answer;
}

Api::Upgrade Api::upgrade(const ApiRequest& request) {
  Upgrade upgrade;
  try {
    admit(request);
    if (pathOf(request) != "/api/v1/live") notFound(request);
    if (request.websocket_version != kWebSocketVersion) {
      throw Refused(426, "this version of the WebSocket protocol is not known",
                    "Sec-WebSocket-Version", kWebSocketVersion);
    }
    upgrade.since = queried(request, "since=").value_or(0);
  } catch (const Refused& refused) {
    upgrade.refusal = answerOf(refused.refusal());
  }
  parts_.metrics.countRequest(upgrade.refusal ? upgrade.refusal->status : 101);
  return upgrade;
}

ApiAnswer Api::dispatch(const ApiRequest& request) {
  if (request.target == "*") require(request, {kGet, kPost, kDelete});
  const std::string_view path = pathOf(request);
  if (path == "/metrics") {
    require(request, {kGet});
    return content("text/plain; version=0.0.4", metricsText());
  }
  const auto resource = behind(path, kRoot);
  if (!resource) notFound(request);
  if (*resource == "capabilities") {
    require(request, {kGet});
    return answer(200, capabilities());
  }
  if (*resource == "clock") {
    require(request, {kGet});
    const std::int64_t received = parts_.runs.clock().nowNs();
    return answer(200, ClockReading{received, parts_.runs.clock().nowNs()});
  }
  if (*resource == "ports") {
    require(request, {kGet});
    return answer(200, parts_.ports.list());
  }
  if (*resource == "reservations") {
    require(request, {kPost});
    const Reservation reservation = parts_.ports.reserve(bodyOf<ReservationRequest>(request));
    return made(reservation, "reservations/" + reservation.id);
  }
  if (const auto id = behind(*resource, "reservations/")) {
    require(request, {kDelete});
    parts_.ports.release(std::string(*id));
    return nothing();
  }
  if (*resource == "live") {
    require(request, {kGet});
    throw Refused(426, "the live stream is a WebSocket", request.target, "Upgrade: websocket");
  }
  if (const auto rest = behind(*resource, "scenarios")) return dispatchScenario(*rest, request);
  if (const auto rest = behind(*resource, "runs")) return dispatchRun(*rest, request);
  notFound(request);
}

ApiAnswer Api::dispatchScenario(std::string_view rest, const ApiRequest& request) {
  if (rest == "/validate") {
    require(request, {kPost});
    return answer(200, validate(bodyOf<ScenarioRequest>(request), parts_.runs.access()));
  }
  if (rest == "/plan") {
    require(request, {kPost});
    return answer(200, plan(bodyOf<ScenarioRequest>(request), parts_.runs.access()));
  }
  if (rest.empty()) {
    require(request, {kGet});
    return answer(200, listScenarios());
  }
  if (const auto name = behind(rest, "/")) {
    require(request, {kGet});
    return answer(200, showScenario(std::string(*name)));
  }
  notFound(request);
}

ApiAnswer Api::dispatchRun(std::string_view rest, const ApiRequest& request) {
  if (rest.empty()) {
    require(request, {kGet, kPost});
    if (request.method == kPost) return startRun(request);
    return answer(200, parts_.runs.list(queried(request, "since=").value_or(0)));
  }
  const auto named = behind(rest, "/");
  if (!named) notFound(request);
  const std::string_view number = named->substr(0, named->find('/'));
  const std::string_view action = named->substr(number.size());
  const auto known = wholeNumberUpTo(number, std::numeric_limits<std::int64_t>::max());
  if (!known) notFound(request);
  const std::optional<std::int64_t> run = static_cast<std::int64_t>(*known);
  if (action == "/start") {
    require(request, {kPost});
    return answer(202, parts_.runs.order(*run, bodyOf<TrialOrder>(request)));
  }
  if (action == "/stop") {
    require(request, {kPost});
    return answer(202, parts_.runs.stop(*run));
  }
  if (action == "/resume") {
    require(request, {kPost});
    return made(parts_.runs.resume(*run), fmt::format("runs/{}", *run));
  }
  // The path is looked at before the method: of what does not exist there are no methods.
  const auto reads = [&](std::string_view one) {
    if (action != one) return false;
    require(request, {kGet});
    return true;
  };
  if (reads("")) return answer(200, parts_.runs.state(*run));
  const RunArchive& stored = parts_.runs.archive();
  if (reads("/trials")) {
    return answer(200, stored.trials(*run, queried(request, "since=").value_or(0)));
  }
  if (reads("/log")) {
    return content("application/x-ndjson",
                   stored.log(*run, queried(request, "since=").value_or(0)));
  }
  if (reads("/results")) return content(kJson, results::exportJson(stored.load(*run)));
  if (reads("/summary")) return content(kText, stored.summary(*run));
  if (reads("/tables")) return content(kText, stored.tables(*run));
  if (reads("/report")) return content("text/html; charset=utf-8", stored.report(*run));
  if (reads("/capture")) return content("application/x-pcapng", parts_.runs.capture(*run));
  notFound(request);
}

ApiAnswer Api::startRun(const ApiRequest& request) {
  const auto asked = bodyOf<RunRequest>(request);
  const RunState begun = parts_.runs.start(asked);
  if (asked.start && asked.start->clock_offset_ns) {
    parts_.metrics.clockFound(*asked.start->clock_offset_ns,
                              asked.start->clock_uncertainty_ns.value_or(0));
  }
  return made(begun, fmt::format("runs/{}", begun.id));
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
    if (port.state == "running" || port.state == "reserved") ++levels.ports_reserved;
  }
  return parts_.metrics.text(levels);
}

}  // namespace plumbline::control
