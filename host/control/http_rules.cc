#include "control/http_rules.h"

#include <algorithm>
#include <array>

#include "base/ip_address.h"
#include "base/whole_number.h"

namespace plumbline::control {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool isLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// RFC 3986, 2.3
bool isUnreserved(char c) {
  return isLetterOrDigit(c) || std::string_view("-._~").find(c) != std::string_view::npos;
}

// The value of a hexadecimal digit; 16 for anything else.
unsigned digitOf(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return 16;
}

std::string normalizedEscapes(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '%' && at + 2 < text.size()) {
      const unsigned high = digitOf(text[at + 1]);
      const unsigned low = digitOf(text[at + 2]);
      const auto c = static_cast<char>(high * 16 + low);
      if (high < 16 && low < 16 && isUnreserved(c)) {
        plain += c;
        at += 2;
        continue;
      }
    }
    plain += text[at];
  }
  return plain;
}

}  // namespace

std::string lowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

std::optional<std::string_view> bearerToken(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer";
  authorization = trimmed(authorization);
  if (lowerCase(authorization.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  authorization.remove_prefix(kScheme.size());
  if (!authorization.starts_with(' ')) return std::nullopt;
  return trimmed(authorization);
}

std::string mediaType(std::string_view content_type) {
  return lowerCase(trimmed(content_type.substr(0, content_type.find(';'))));
}

std::optional<std::string> hostName(std::string_view authority) {
  authority = trimmed(authority);
  std::string_view name = authority;
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    name = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
    const auto address = canonicalAddress(std::string(name));
    if (!address || address->find(':') == std::string::npos) return std::nullopt;
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    name = authority.substr(0, colon);
    port = authority.substr(colon);
    // Registered names may have more than host names have: RFC 3986, 3.2.2.
    const bool good = std::all_of(name.begin(), name.end(), [](char c) {
      return isUnreserved(c) || std::string_view("%!$&'()*+,;=").find(c) != std::string_view::npos;
    });
    if (name.empty() || !good) return std::nullopt;
  }
  constexpr std::uint64_t kMaxPort = 65535;
  const bool no_port = port.empty() || port == ":";
  if (!no_port && (!port.starts_with(':') || !wholeNumberUpTo(port.substr(1), kMaxPort))) {
    return std::nullopt;
  }
  return lowerCase(name);
}

std::optional<std::string_view> requestVersion(std::string_view line) {
  constexpr std::string_view kForm = "HTTP/0.0";
  const std::size_t method_end = line.find(' ');
  if (method_end == std::string_view::npos) return std::nullopt;
  const std::size_t target_end = line.find(' ', method_end + 1);
  if (target_end == std::string_view::npos) return std::nullopt;
  const std::string_view version = line.substr(target_end + 1, kForm.size());
  const bool good =
      version.size() == kForm.size() &&
      std::equal(version.begin(), version.end(), kForm.begin(),
                 [](char c, char form) { return form == '0' ? c >= '0' && c <= '9' : c == form; });
  return good ? std::optional(version) : std::nullopt;
}

std::optional<RequestTarget> requestTarget(std::string_view method, std::string_view target) {
  RequestTarget parts;
  if (target == "*") return RequestTarget{{}, "*"};
  if (!target.starts_with('/')) {
    const std::size_t end = target.find("://");
    if (end == std::string_view::npos) return std::nullopt;
    const std::string scheme = lowerCase(target.substr(0, end));
    if (scheme != "http" && scheme != "https") return std::nullopt;
    target.remove_prefix(end + 3);
    const std::size_t path = std::min(target.find_first_of("/?"), target.size());
    parts.authority = target.substr(0, path);
    if (!hostName(parts.authority)) return std::nullopt;
    target.remove_prefix(path);
  }
  if (target.empty() && method == "OPTIONS") {
    parts.resource = "*";
    return parts;
  }
  parts.resource = normalizedEscapes(target);
  if (!parts.resource.starts_with('/')) parts.resource.insert(0, "/");
  return parts;
}

bool isKnownMethod(std::string_view method) {
  constexpr std::array<std::string_view, 9> kKnown{"GET",     "HEAD",    "POST",  "PUT",  "DELETE",
                                                   "CONNECT", "OPTIONS", "TRACE", "PATCH"};
  return std::find(kKnown.begin(), kKnown.end(), method) != kKnown.end();
}

}  // namespace plumbline::control
