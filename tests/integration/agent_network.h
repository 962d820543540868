// Hosts of agents and their controller in network namespaces: a, b, and c with a cable to each. a
// and b have a cable to each other as well, the fabric.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace plumbline {

// Whether the shell command ends with 0; its output is discarded.
bool succeeds(const std::string& command);

// Processes started during its lifetime are in the network namespace.
class InNamespace {
 public:
  // Throws std::runtime_error when it cannot be entered.
  explicit InNamespace(const std::string& name);
  ~InNamespace();
  InNamespace(const InNamespace&) = delete;
  InNamespace& operator=(const InNamespace&) = delete;

 private:
  int before_;
};

// The namespaces last as long as the object.
class AgentNetwork {
 public:
  // a has the address SUBNET.1.2, b SUBNET.2.2, and c .1 of both; `subnet` like "10.98", unique
  // among simultaneous objects.
  explicit AgentNetwork(std::string subnet) : subnet_(std::move(subnet)) {}
  ~AgentNetwork();
  AgentNetwork(const AgentNetwork&) = delete;
  AgentNetwork& operator=(const AgentNetwork&) = delete;

  // Creates it, and writes cert.pem and key.pem of both agents and a token into `directory`.
  // Returns the reason if that is impossible here, or nothing.
  [[nodiscard]] std::string make(const std::filesystem::path& directory) const;

  // The namespace of a, b or c, and the address of a or b.
  [[nodiscard]] std::string space(const std::string& host) const;
  [[nodiscard]] std::string address(const std::string& host) const;
  // On the fabric: SUBNET.3.1 of a, SUBNET.3.2 of b; and the bytes that the host has sent into it
  // so far.
  [[nodiscard]] std::string fabricAddress(const std::string& host) const;
  [[nodiscard]] std::uint64_t fabricBytes(const std::string& host) const;

 private:
  // The command with names for {a}, {b}, {c} and the subnet for {s}.
  [[nodiscard]] std::string named(std::string command) const;

  std::string subnet_;
};

}  // namespace plumbline
