#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/error.h"
#include "base/ip_address.h"
#include "base/whole_number.h"
#include "control/client.h"

namespace plumbline::control {
namespace {

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
    std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
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
    const auto number = wholeNumberUpTo(std::string_view(port).substr(1), 65535);
    if (!number || *number == 0) refuse(text);
    address.port = static_cast<std::uint16_t>(*number);
  }
  if (address.host.empty() || address.host.find_first_of("/?#@ ") != std::string::npos) {
    refuse(text);
  }
  address.tls = scheme.empty() ? !isLoopbackHost(address.host) : scheme == "https";
  return address;
}

}  // namespace plumbline::control
