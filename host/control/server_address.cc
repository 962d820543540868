#include <charconv>

#include "base/error.h"
#include "control/client.h"

namespace plumbline::control {
namespace {

bool isLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorKind::kUsage, "\"" + text + "\" is no server", {},
              "HOST, HOST:PORT or [ADDRESS]:PORT, with https:// before it for TLS");
}

}  // namespace

ServerAddress ServerAddress::parse(const std::string& text) {
  ServerAddress address;
  std::string rest = text;
  std::string scheme;
  if (const auto end = rest.find("://"); end != std::string::npos) {
    scheme = rest.substr(0, end);
    rest = rest.substr(end + 3);
    if (scheme != "http" && scheme != "https") refuse(text);
    if (rest.ends_with('/')) rest.pop_back();
  }
  std::string port;
  if (rest.starts_with('[')) {
    const auto end = rest.find(']');
    if (end == std::string::npos) refuse(text);
    address.host = rest.substr(1, end - 1);
    port = rest.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) refuse(text);
  } else {
    const auto colon = rest.find(':');
    address.host = rest.substr(0, colon);
    if (colon != std::string::npos) port = rest.substr(colon);
  }
  if (!port.empty()) {
    const char* first = port.data() + 1;
    const char* last = port.data() + port.size();
    const auto [end, error] = std::from_chars(first, last, address.port);
    if (error != std::errc() || end != last || address.port == 0) refuse(text);
  }
  if (address.host.empty() || address.host.find_first_of("/?#@ ") != std::string::npos) {
    refuse(text);
  }
  address.tls = scheme.empty() ? !isLoopback(address.host) : scheme == "https";
  return address;
}

}  // namespace plumbline::control
