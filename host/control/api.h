// Requests in, answers out: the server except for its sockets. Input is not trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "control/api_types.h"
#include "control/live_hub.h"
#include "control/metrics.h"
#include "control/port_table.h"
#include "control/run_manager.h"
#include "scenario/parse.h"

namespace plumbline::control {

// Of a request. The quotes and line breaks of the largest scenario take two bytes each in JSON.
inline constexpr std::size_t kMaxBodyBytes = 2 * scenario::kMaxScenarioBytes;

struct ApiRequest {
  std::string method;  // "GET"
  std::string target;  // "/api/v1/runs?x=1", or "*"
  std::string body;
  std::optional<std::string> host;  // that of the target or the field; none: only of HTTP/1.0
  // Header fields; empty = absent.
  std::string origin;
  std::string authorization;
  std::string content_type;
  std::string websocket_version;
};

struct ApiAnswer {
  int status = 200;
  std::string content_type;  // empty = no body
  std::string body;
  // Header fields; empty = absent.
  std::string allow;            // methods of the resource
  std::string location;         // of the created resource
  std::string accept_encoding;  // content codings of request bodies
};

// Field in which a request says the content coding of its body.
inline constexpr const char* kContentEncoding = "Content-Encoding";
// The only version of the WebSocket protocol (RFC 6455, 4.1).
inline constexpr const char* kWebSocketVersion = "13";

ApiAnswer answerOf(const Refusal& refusal);

class Api {
 public:
  struct Access {
    std::string token;        // empty = not required
    bool only_local = false;  // the server listens on loopback only
  };
  struct Parts {
    RunManager& runs;
    PortTable& ports;
    LiveHub& live;
    Metrics& metrics;
  };

  // `parts` must outlive it. The metrics subscribe to the live stream and must outlive the runs.
  Api(const Parts& parts, Access access);

  // Why a request is refused by its header alone, whatever its body: the token, the host.
  std::optional<ApiAnswer> refusal(const ApiRequest& request);
  // Whether working on it may take long (planning, reports), so that it must not delay other
  // answers. checkWork() ends it.
  static bool takesLong(const ApiRequest& request);

  // Never throws. Thread-safe. The answer to HEAD is the one to GET, whose body must not be sent.
  ApiAnswer handle(const ApiRequest& request);

  // For requests to upgrade to a WebSocket: the `since` of the live stream, or the refusal.
  struct Upgrade {
    std::uint64_t since = 0;
    std::optional<ApiAnswer> refusal;
  };
  Upgrade upgrade(const ApiRequest& request);

 private:
  void admit(const ApiRequest& request) const;
  ApiAnswer dispatch(const ApiRequest& request);
  ApiAnswer dispatchScenario(std::string_view rest, const ApiRequest& request);
  ApiAnswer dispatchRun(std::string_view rest, const ApiRequest& request);
  ApiAnswer startRun(const ApiRequest& request);
  [[nodiscard]] ServerCapabilities capabilities() const;
  [[nodiscard]] std::string metricsText();

  Parts parts_;
  Access access_;
};

}  // namespace plumbline::control
