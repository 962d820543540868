// Converts a request of Beast for the Api. Includes Beast: for few translation units.
#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string>

#include "control/api.h"
#include "control/http_rules.h"

namespace plumbline::control {

// Why a request must be refused, whatever its target. `fields`: of its header, which Beast has
// found to be well-formed.
template <typename Message>
std::optional<Refusal> faultOf(const Message& message) {
  using boost::beast::http::field;
  const auto header = [&message](field name) { return std::string(message[name]); };
  const std::string target(message.target());
  // RFC 9112, 3.2
  const std::string method(message.method_string());
  if (method != "CONNECT" && !requestTarget(method, target)) {
    return Refusal{400,
                   "the request target does not exist on this server",
                   target,
                   "/path, or http://host/path",
                   {}};
  }
  // RFC 9112, 3.2: a client of HTTP/1.1 must send one, even if the target names the host.
  if (message.count(field::host) > 1 ||
      (message.version() >= 11 && message.count(field::host) == 0)) {
    return Refusal{400, "a request has one Host field", "Host", "one", {}};
  }
  const std::string host = header(field::host);
  if (!host.empty() && !hostName(host)) {
    return Refusal{400, "this is no host", "Host", "NAME, NAME:PORT or [ADDRESS]:PORT", {}};
  }
  // RFC 9112, 6.1: a body whose coding is unknown has an unknown length.
  if (const auto codings = message.count(field::transfer_encoding); codings > 0) {
    if (message.version() < 11) {
      return Refusal{400, "HTTP/1.0 has no transfer codings", "Transfer-Encoding", "", {}};
    }
    if (codings > 1 || lowerCase(header(field::transfer_encoding)) != "chunked") {
      return Refusal{501, "the transfer coding is not known", "Transfer-Encoding", "chunked", {}};
    }
  }
  // RFC 9110, 8.4: what is in such a body is not known before it is decoded.
  if (const auto codings = message.count(field::content_encoding); codings > 0) {
    if (codings > 1 || lowerCase(header(field::content_encoding)) != "identity") {
      return Refusal{415, "the content coding is not known", kContentEncoding, "identity", {}};
    }
  }
  // RFC 9110, 10.1.1
  if (message.version() >= 11 && message.count(field::expect) > 0 &&
      lowerCase(header(field::expect)) != "100-continue") {
    return Refusal{417, "the expectation is not known", "Expect", "100-continue", {}};
  }
  return std::nullopt;
}

// For a request without a fault by faultOf().
inline ApiRequest apiRequestOf(
    const boost::beast::http::request<boost::beast::http::string_body>& request) {
  using boost::beast::http::field;
  const auto header = [&request](field name) { return std::string(request[name]); };
  const std::string method(request.method_string());
  const std::string asked(request.target());
  const RequestTarget target = requestTarget(method, asked).value_or(RequestTarget{{}, asked});
  std::optional<std::string> host;
  if (!target.authority.empty()) {
    host = target.authority;
  } else if (request.count(field::host) > 0) {
    host = header(field::host);
  }
  return {method,
          target.resource,
          request.body(),
          host,
          header(field::origin),
          header(field::authorization),
          header(field::content_type),
          header(field::sec_websocket_version)};
}

}  // namespace plumbline::control
