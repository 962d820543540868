// How a bench and a target program prove to each other that they have a token, which is never sent
// itself, and authenticate each line afterwards: HMAC-SHA256 (RFC 2104).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline::endpoint {

enum class PeerRole { kBench, kTarget };

// 32 hex digits from the system's random numbers. Throws Error(kTester) without any.
std::string newNonce();

// The random numbers of both sides for one connection, so that earlier proofs are invalid.
struct PeerNonces {
  std::string target;
  std::string bench;
};

// Proof that `role` has the token: 64 hex digits.
std::string proofOf(const std::string& token, PeerRole role, const PeerNonces& nonces);
// Takes equally long for any wrong proof.
bool isProof(const std::string& proof, const std::string& token, PeerRole role,
             const PeerNonces& nonces);

// Seals the lines of one connection, and detects changed, missing, repeated or inserted ones. They
// are not encrypted.
class PeerSeal {
 public:
  // `role`: whose lines it seals; it verifies those of the other.
  PeerSeal(const std::string& token, PeerRole role, const PeerNonces& nonces);

  // The line with its seal before it.
  std::string close(const std::string& line);
  // The line without its seal; nothing when the seal is wrong for the next line.
  std::optional<std::string> open(std::string_view sealed);

 private:
  [[nodiscard]] std::string sealOf(PeerRole role, std::uint64_t number,
                                   std::string_view line) const;

  std::string key_;
  PeerRole role_;
  std::uint64_t closed_ = 0;
  std::uint64_t opened_ = 0;
};

}  // namespace plumbline::endpoint
