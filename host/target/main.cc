// plumbline-target: the targets of a libfabric or verbs bench on another host.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/interrupts.h"
#include "base/ip_address.h"
#include "base/log_lines.h"
#include "base/output_file.h"
#include "base/printable.h"
#include "base/token_file.h"
#include "base/work.h"
#include "command/command_files.h"
#include "command/parse.h"
#include "command/whole_number_option.h"
#include "endpoint/target_service.h"
#ifdef PLUMBLINE_LIBFABRIC
#include "bench_ofi/ofi_peer.h"
#endif
#ifdef PLUMBLINE_VERBS
#include "bench_verbs/ibv_library.h"
#include "bench_verbs/verbs_peer.h"
#endif

namespace {

using plumbline::Error;
using plumbline::ErrorKind;
using plumbline::bench::EndpointSpec;
using plumbline::endpoint::TargetLibrary;

// As the plumbline command's (docs/cli.md).
constexpr int kUsage = 2;
constexpr int kTesterFault = 3;
constexpr int kAborted = 5;

std::atomic<bool> stop_asked{false};

struct TargetOptions {
  std::string library;
  EndpointSpec spec;
  std::uint16_t tcp_port = EndpointSpec::kDefaultPeerPort;
  std::string token_file;
  bool no_token = false;
};

// The first signal ends the sessions and then the program, the second one the program at once.
void onSignal() {
  if (stop_asked.exchange(true)) ::_exit(kAborted);
}

std::unique_ptr<TargetLibrary> openLibrary(const TargetOptions& options) {
#ifdef PLUMBLINE_LIBFABRIC
  if (options.library == plumbline::bench_ofi::kLibfabric) {
    return std::make_unique<plumbline::bench_ofi::OfiTargetLibrary>(options.spec);
  }
#endif
#ifdef PLUMBLINE_VERBS
  if (options.library == plumbline::bench_verbs::kVerbs) {
    return std::make_unique<plumbline::bench_verbs::VerbsTargetLibrary>(
        options.spec, std::make_unique<plumbline::bench_verbs::IbvLibrary>());
  }
#endif
  throw Error(ErrorKind::kUsage, "this build has no bench over it", "--library " + options.library,
              "a build with libfabric, or libibverbs and librdmacm");
}

// Access from other machines requires a token, unless the user disables it.
std::string tokenOf(const TargetOptions& options) {
  const auto address = plumbline::canonicalAddress(options.spec.address);
  if (!address) {
    throw Error(ErrorKind::kUsage, "\"" + options.spec.address + "\" is no IP address", "--address",
                "one of this host's");
  }
  if (!options.token_file.empty()) {
    for (const std::string& warning : plumbline::tokenWarnings(options.token_file)) {
      std::fputs(("warning: " + warning + "\n").c_str(), stderr);
    }
    return plumbline::readToken(options.token_file);
  }
  if (!plumbline::isLoopback(*address) && !options.no_token) {
    throw Error(
        ErrorKind::kUsage, "others than this machine are served with a token only",
        "--address " + options.spec.address,
        "--token-file FILE; or --no-token where any host that reaches the address may write to "
        "the memory that is made for it");
  }
  return {};
}

int serve(const TargetOptions& options) {
  using namespace plumbline::endpoint;  // NOLINT: the body of a main program
  const std::string token = tokenOf(options);
  auto library = openLibrary(options);
  const std::string about = library->description();
  plumbline::LogLines log(STDOUT_FILENO);
  TargetService service(std::move(library), token,
                        [&](const std::string& line) { log.write(line); });
  PeerListener listener(options.spec.address, options.tcp_port);
  fmt::print("waiting at {} port {}, {}\n", options.spec.address, listener.port(), about);
  plumbline::flushStandardOutput();
  service.serve(listener, stop_asked);
  return 0;
}

// Parses, and then serves until a stop request.
int parseAndServe(int argc, char** argv) {
  namespace command = plumbline::command;
  TargetOptions options;
  CLI::App app("The targets of a bench on another host: whose endpoint.peer is this address",
               "plumbline-target");
  app.add_option("--library", options.library, "What the bench sends through")
      ->required()
      ->check(CLI::IsMember({"libfabric", "verbs"}));
  app.add_option("--address", options.spec.address,
                 "IP address of this host to wait at; any but loopback needs --token-file")
      ->capture_default_str();
  command::addWholeNumber(app, "--tcp-port", options.tcp_port,
                          "TCP port to wait at, the scenario's peer_port")
      ->capture_default_str();
  auto* token = app.add_option("--token-file", options.token_file,
                               "File whose first line every bench must know");
  app.add_flag("--no-token", options.no_token, "Serve any host that reaches the address")
      ->excludes(token);
  app.add_option("--device", options.spec.device,
                 "libfabric: domain; verbs: RDMA device (default: the first)");
  unsigned port = options.spec.port;
  unsigned gid_index = options.spec.gid_index;
  command::addWholeNumber(app, "--port", port, "verbs: port of the device", 1, 255)
      ->capture_default_str();
  command::addWholeNumber(app, "--gid-index", gid_index, "verbs: GID of the port", 0, 255)
      ->capture_default_str();
  std::uint64_t memory = 0;
  app.add_option(
         "--max-memory", memory,
         "Most memory to take, such as 512MB: what needs more is refused, or ended (default: "
         "half of the machine's)")
      ->transform(CLI::AsSizeValue(true))
      ->envname("PLUMBLINE_MAX_MEMORY");
  if (argc == 3 && argv[1] == std::string_view(command::kCommandFilesOption)) {
    command::writeCommandFiles(command::helpOf(app), "plumbline " PLUMBLINE_VERSION, argv[2]);
    return 0;
  }
  if (!command::parse(app, argc, argv)) return 0;
  plumbline::setMemoryLimit(memory);
  options.spec.port = static_cast<std::uint8_t>(port);
  options.spec.gid_index = static_cast<std::uint8_t>(gid_index);
  plumbline::onInterrupt(onSignal);
  return serve(options);
}

}  // namespace

int main(int argc, char** argv) {
  plumbline::installInterruptHandlers();  // before the library starts a thread
  try {
    return parseAndServe(argc, argv);
  } catch (const Error& error) {
    std::fputs((plumbline::printable(error.what(), true) + "\n").c_str(), stderr);
    return error.kind() == ErrorKind::kTester ? kTesterFault : kUsage;
  } catch (const std::exception& error) {
    std::fputs(("plumbline-target has failed: " + plumbline::faultText(error) + "\n").c_str(),
               stderr);
    return kTesterFault;
  }
}
