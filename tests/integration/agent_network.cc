#include "tests/integration/agent_network.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace plumbline {
namespace {

constexpr int kOpen = O_RDONLY | O_CLOEXEC;

constexpr const char* kSteps[] = {"ip netns add {c}",
                                  "ip netns add {a}",
                                  "ip netns add {b}",
                                  "ip -n {c} link add to-a type veth peer name nic netns {a}",
                                  "ip -n {c} link add to-b type veth peer name nic netns {b}",
                                  "ip -n {a} link add fabric type veth peer name fabric netns {b}",
                                  "ip -n {c} address add {s}.1.1/24 dev to-a",
                                  "ip -n {c} link set to-a up",
                                  "ip -n {c} address add {s}.2.1/24 dev to-b",
                                  "ip -n {c} link set to-b up",
                                  "ip -n {a} address add {s}.1.2/24 dev nic",
                                  "ip -n {a} link set nic up",
                                  "ip -n {b} address add {s}.2.2/24 dev nic",
                                  "ip -n {b} link set nic up",
                                  "ip -n {a} address add {s}.3.1/24 dev fabric",
                                  "ip -n {a} link set fabric up",
                                  "ip -n {b} address add {s}.3.2/24 dev fabric",
                                  "ip -n {b} link set fabric up",
                                  "ip -n {a} link set lo up",
                                  "ip -n {b} link set lo up"};

}  // namespace

bool succeeds(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
}

InNamespace::InNamespace(const std::string& name)
    : before_(::open("/proc/thread-self/ns/net", kOpen)) {
  const int there = ::open(("/run/netns/" + name).c_str(), kOpen);
  if (before_ < 0 || there < 0 || ::setns(there, CLONE_NEWNET) != 0) {
    throw std::runtime_error("cannot enter the namespace " + name);
  }
  ::close(there);
}

InNamespace::~InNamespace() {
  if (::setns(before_, CLONE_NEWNET) != 0) std::abort();  // the other tests would be elsewhere
  ::close(before_);
}

AgentNetwork::~AgentNetwork() {
  for (const char* host : {"a", "b", "c"}) succeeds("ip netns delete " + space(host));
}

std::string AgentNetwork::make(const std::filesystem::path& directory) const {
  for (const char* step : kSteps) {
    if (!succeeds(named(step))) return "network namespaces cannot be made here: " + named(step);
  }
  std::ofstream(directory / "token") << "secret\n";
  const std::string certificate =
      named(
          "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "
          "/CN=agent -addext subjectAltName=IP:{s}.1.2,IP:{s}.2.2") +
      " -keyout " + (directory / "key.pem").string() + " -out " + (directory / "cert.pem").string();
  return succeeds(certificate) ? "" : "there is no openssl to make a certificate";
}

std::string AgentNetwork::space(const std::string& host) const {
  return "plumbline-" + subnet_ + "-" + std::to_string(::getpid()) + "-" + host;
}

std::string AgentNetwork::address(const std::string& host) const {
  return subnet_ + (host == "a" ? ".1.2" : ".2.2");
}

std::string AgentNetwork::fabricAddress(const std::string& host) const {
  return subnet_ + (host == "a" ? ".3.1" : ".3.2");
}

std::uint64_t AgentNetwork::fabricBytes(const std::string& host) const {
  const InNamespace there(space(host));
  // "fabric: BYTES …": received bytes; the first number of the sent ones is the ninth.
  std::ifstream counters("/proc/thread-self/net/dev");
  for (std::string line; std::getline(counters, line);) {
    const auto colon = line.find("fabric:");
    if (colon == std::string::npos) continue;
    std::istringstream numbers(line.substr(colon + 7));
    std::uint64_t number = 0;
    for (int i = 0; i < 9; ++i) numbers >> number;
    return number;
  }
  throw std::runtime_error("there is no link in the namespace of " + host);
}

std::string AgentNetwork::named(std::string command) const {
  for (auto at = command.find('{'); at != std::string::npos; at = command.find('{', at)) {
    const std::string name = command.substr(at + 1, 1);
    command.replace(at, 3, name == "s" ? subnet_ : space(name));
  }
  return command;
}

}  // namespace plumbline
