#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/output_file.h"
#include "base/token_file.h"
#include "cli/interrupt.h"
#include "cli/note.h"
#include "cli/setup.h"
#include "cli/verbs.h"
#include "command/whole_number_option.h"
#include "control/server.h"

namespace plumbline::cli {
namespace {

struct ServeOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = control::kDefaultPort;
  std::string token_file;
  std::string certificate;
  std::string key;
  std::string results;
  std::string files;
  std::vector<std::string> peers;
  bool end_with_stdin = false;
};

// Time for the current trial to end when the program that started the server is gone.
constexpr unsigned kGraceSeconds = 15;

// Reads and discards standard input; true at its end.
bool inputEnded() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (::poll(&input, 1, 0) <= 0) return false;
  std::array<char, 256> discarded{};
  const ssize_t size = ::read(STDIN_FILENO, discarded.data(), discarded.size());
  return size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN);
}

control::Api::Access accessOf(const ServeOptions& options) {
  const bool local = control::isLoopbackAddress(options.address);
  if (options.certificate.empty() != options.key.empty()) {
    throw Error(ErrorKind::kUsage, "a certificate and its key go together", "--cert, --key");
  }
  if (!local && (options.token_file.empty() || options.certificate.empty())) {
    throw Error(ErrorKind::kUsage,
                "others than this machine are served with a token and over TLS only",
                "--listen " + options.address, "--token-file, --cert and --key");
  }
  control::Api::Access access;
  access.only_local = local;
  if (!options.token_file.empty()) {
    access.token = readToken(options.token_file);
    for (const std::string& warning : tokenWarnings(options.token_file)) {
      note(stderr, "warning: {}\n", warning);
    }
  }
  return access;
}

scenario::Access scenarioAccessOf(const ServeOptions& options) {
  scenario::Access access;
  access.origin = scenario::Origin::kNetwork;
  std::error_code error;
  if (!options.files.empty() && !std::filesystem::is_directory(options.files, error)) {
    throw Error(ErrorKind::kUsage, "there is no such directory", "--files " + options.files, "");
  }
  access.files = options.files;
  for (const std::string& text : options.peers) {
    const auto peer = scenario::Access::peerFromText(text);
    if (!peer) {
      throw Error(ErrorKind::kUsage, "\"" + text + "\" is no target program", "--peer",
                  "ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT of an IP address");
    }
    access.peers.push_back(*peer);
  }
  return access;
}

ExitCode serve(const ServeOptions& options) {
  const control::Api::Access access = accessOf(options);
  requireDirectory(options.results, "--results");
  const InterruptGuard interrupt;
  control::LiveHub live(control::randomIdentifier());
  control::Metrics metrics;
  control::PortTable ports(control::allPorts());
  control::RunManager runs(options.results, live, ports, control::HostClock(),
                           scenarioAccessOf(options));
  control::Api api({runs, ports, live, metrics}, access);
  control::ServerOptions sockets;
  sockets.address = options.address;
  sockets.port = options.port;
  sockets.certificate = options.certificate;
  sockets.key = options.key;
  const control::Server server(sockets, api, live, metrics);
  const bool v6 = options.address.find(':') != std::string::npos;
  fmt::print("serving at {}://{}:{}\n", options.certificate.empty() ? "http" : "https",
             v6 ? "[" + options.address + "]" : options.address, server.port());
  flushStandardOutput();
  bool alone = false;  // the starting program is gone
  while (!interrupt.requested() && !alone) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    alone = options.end_with_stdin && inputEnded();
  }
  // All completed trials are stored: SIGALRM may end a trial that takes longer.
  if (alone) ::alarm(kGraceSeconds);
  runs.shutDown();  // before the sockets go, so that clients see how their runs end
  return ExitCode::kDone;
}

}  // namespace

void addServeVerb(CLI::App& app, Action& action) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* verb = app.add_subcommand("serve", "Serve the control API to programs and the window");
  verb->add_option("--listen", options->address,
                   "Address; any but loopback needs --token-file, --cert and --key")
      ->capture_default_str();
  command::addWholeNumber(*verb, "--port", options->port, "TCP port; 0 = any that is free")
      ->capture_default_str();
  verb->add_option("--token-file", options->token_file,
                   "File whose first line every client must know");
  verb->add_option("--cert", options->certificate, "PEM file of the certificate chain, for TLS");
  verb->add_option("--key", options->key, "PEM file of its key");
  verb->add_option("--files", options->files,
                   "Directory below which sent scenarios may name files (default: none)");
  verb->add_option("--peer", options->peers,
                   "ADDRESS:PORT of a target that they may connect to; may be repeated");
  addMemoryOption(*verb);
  verb->add_flag("--end-with-stdin", options->end_with_stdin,
                 "End when standard input ends: with the program at its other end");
  addResultsOption(*verb, options->results);
  verb->callback([options, &action] { action = [options] { return serve(*options); }; });
}

}  // namespace plumbline::cli
