// Rules of RFC 9110 (HTTP semantics), 9112 (HTTP/1.1) and 3986 (URIs) for the parts of a request
// that the Api uses. Text in, text out: without sockets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace plumbline::control {

// Letters in lower case, for the parts of HTTP that are compared without case.
std::string lowerCase(std::string_view text);

// The token of an Authorization field whose scheme is Bearer, in any case (RFC 9110, 11.1).
std::optional<std::string_view> bearerToken(std::string_view authorization);

// The media type of a Content-Type field in lower case, without its parameters (RFC 9110, 8.3.1).
std::string mediaType(std::string_view content_type);

// The name or address of "host", "host:port" or "[address]:port", in lower case and without
// brackets; nothing for invalid text (RFC 9110, 7.2).
std::optional<std::string> hostName(std::string_view authority);

// The version in a request's first line, "HTTP/1.1" of "GET / HTTP/1.1"; nothing for a version of
// another form (RFC 9112, 2.3).
std::optional<std::string_view> requestVersion(std::string_view line);

// A request's target in the three forms for a server without proxies (RFC 9112, 3.2).
struct RequestTarget {
  std::string authority;  // of the absolute form: replaces the Host field
  std::string resource;   // "/path?query", or "*"
};
// Nothing for a target of another form. Unnecessary escapes are undone (RFC 3986, 6.2.2.2):
// /api/v1/%72uns?since=%31 is /api/v1/runs?since=1. An absolute target without path and query is
// "*" for OPTIONS (RFC 9112, 3.2.4), and "/" for other methods.
std::optional<RequestTarget> requestTarget(std::string_view method, std::string_view target);

// True for methods of RFC 9110 and 5789.
bool isKnownMethod(std::string_view method);

}  // namespace plumbline::control
