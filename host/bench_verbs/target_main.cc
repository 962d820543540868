// plumbline-verbs-target: the targets of a verbs bench on another host.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>

#include "bench_verbs/ibv_library.h"
#include "bench_verbs/target_service.h"

namespace {

// As the plumbline command's (docs/cli.md).
constexpr int kUsage = 2;
constexpr int kTesterFault = 3;

std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler sets it

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

int serve(const plumbline::bench::EndpointSpec& spec, std::uint16_t tcp_port) {
  using namespace plumbline::bench_verbs;  // NOLINT: the body of a main program
  TargetService service(spec, std::make_unique<IbvLibrary>(), say);
  PeerListener listener(spec.address, tcp_port);
  say(fmt::format("waiting at {} port {}, device {}", spec.address, listener.port(),
                  service.device()));
  service.serve(listener, stop_asked);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  plumbline::bench::EndpointSpec spec;
  std::uint16_t tcp_port = plumbline::bench::EndpointSpec::kDefaultPeerPort;
  CLI::App app("The targets of a verbs bench on another host: whose endpoint.peer is this address");
  app.add_option("--address", spec.address, "IP address of this host to wait at")->required();
  app.add_option("--tcp-port", tcp_port, "TCP port to wait at, the scenario's peer_port")
      ->capture_default_str();
  app.add_option("--device", spec.device, "RDMA device (default: the first)");
  unsigned port = spec.port;
  unsigned gid_index = spec.gid_index;
  app.add_option("--port", port, "port of the device")
      ->check(CLI::Range(1, 255))
      ->capture_default_str();
  app.add_option("--gid-index", gid_index, "GID of the port")
      ->check(CLI::Range(0, 255))
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  spec.port = static_cast<std::uint8_t>(port);
  spec.gid_index = static_cast<std::uint8_t>(gid_index);
  std::signal(SIGINT, [](int) { stop_asked.store(true); });
  std::signal(SIGTERM, [](int) { stop_asked.store(true); });
  try {
    return serve(spec, tcp_port);
  } catch (const plumbline::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.kind() == plumbline::ErrorKind::kTester ? kTesterFault : kUsage;
  } catch (const std::exception& error) {
    fmt::print(stderr, "plumbline-verbs-target has failed: {}\n", error.what());
    return kTesterFault;
  }
}
