#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/token_file.h"
#include "cli/interrupt.h"
#include "cli/setup.h"
#include "cli/verbs.h"
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
};

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
  if (!options.token_file.empty()) access.token = readToken(options.token_file);
  return access;
}

ExitCode serve(const ServeOptions& options) {
  const control::Api::Access access = accessOf(options);
  control::LiveHub live(control::randomIdentifier());
  control::Metrics metrics;
  control::PortTable ports(control::allPorts());
  control::RunManager runs(options.results, live, ports);
  control::Api api({runs, ports, live, metrics}, access);
  const InterruptGuard interrupt;
  control::ServerOptions sockets;
  sockets.address = options.address;
  sockets.port = options.port;
  sockets.certificate = options.certificate;
  sockets.key = options.key;
  const control::Server server(sockets, api, live, metrics);
  const bool v6 = options.address.find(':') != std::string::npos;
  fmt::print("serving at {}://{}:{}\n", options.certificate.empty() ? "http" : "https",
             v6 ? "[" + options.address + "]" : options.address, server.port());
  std::fflush(stdout);
  while (!interrupt.requested()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  runs.shutDown();  // before the sockets go, so that clients see how their runs end
  return ExitCode::kDone;
}

}  // namespace

void addServeVerb(CLI::App& app, Action& action) {
  auto options = std::make_shared<ServeOptions>();
  CLI::App* verb = app.add_subcommand("serve", "Serve the control API to programs and the window");
  verb->add_option("--listen", options->address,
                   "Address to listen at; any but loopback needs --token-file, --cert and --key")
      ->capture_default_str();
  verb->add_option("--port", options->port, "TCP port; 0 = any that is free")
      ->check(plainInteger())
      ->capture_default_str();
  verb->add_option("--token-file", options->token_file,
                   "File whose first line every client must know");
  verb->add_option("--cert", options->certificate, "PEM file of the certificate chain, for TLS");
  verb->add_option("--key", options->key, "PEM file of its key");
  addResultsOption(*verb, options->results);
  verb->callback([options, &action] { action = [options] { return serve(*options); }; });
}

}  // namespace plumbline::cli
