// links: plumbline_control_api Boost::headers
// Any bytes as a client's input: parsed by the HTTP parser that the server uses, then answered.
// Every answer has a valid status, and a refusal has a reason. No run is started: the ports are
// reserved.
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "control/api.h"
#include "control/http_request.h"

namespace {

using namespace plumbline::control;  // NOLINT: a program of its own
namespace http = boost::beast::http;

void require(bool holds) {
  if (!holds) std::abort();
}

class Directory {
 public:
  Directory() : path_(std::filesystem::temp_directory_path() / randomIdentifier()) {}
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Parts {
  Parts() {
    ReservationRequest all{{}, "fuzz", 86'400};
    for (const PortState& port : ports.list()) all.ports.push_back(port.name);
    ports.reserve(all);
  }

  Directory directory;
  LiveHub live{"instance"};
  Metrics metrics;
  PortTable ports{allPorts()};
  RunManager runs{directory.path(), live, ports};
  Api api{{runs, ports, live, metrics}, {}};
};

void check(const ApiAnswer& answer) {
  require(answer.status >= 200 && answer.status < 600);
  if (answer.status < 400) return;
  Refusal refusal;
  require(fromJson(answer.body, refusal));
  require(refusal.status == answer.status && !refusal.what.empty());
  require(answer.status != 500);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Parts parts;
  http::request_parser<http::string_body> parser;
  parser.body_limit(kMaxBodyBytes);
  parser.eager(true);
  boost::system::error_code error;
  parser.put(boost::asio::buffer(data, size), error);
  if (error || !parser.is_done()) return 0;
  if (const auto fault = faultOf(parser.get())) {
    require(fault->status >= 400 && fault->status < 600 && !fault->what.empty());
    return 0;
  }
  const ApiRequest request = apiRequestOf(parser.get());
  check(parts.api.handle(request));
  const Api::Upgrade upgrade = parts.api.upgrade(request);
  if (upgrade.refusal) check(*upgrade.refusal);
  return 0;
}
