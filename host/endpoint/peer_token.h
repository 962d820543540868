// How a bench and a target program show each other that they know a token, which itself is never
// sent, and how each line shows afterwards whom it is from: HMAC-SHA256 (RFC 2104).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plumbline::endpoint {

enum class PeerRole { kBench, kTarget };

// 32 hex digits out of the system's random numbers. Throws Error(kTester) when there are none.
std::string newNonce();

// What both have made up for one connection. A proof of an earlier one is worth nothing.
struct PeerNonces {
  std::string target;
  std::string bench;
};

// That `role` knows the token: 64 hex digits.
std::string proofOf(const std::string& token, PeerRole role, const PeerNonces& nonces);
// Takes as long for any wrong proof.
bool isProof(const std::string& proof, const std::string& token, PeerRole role,
             const PeerNonces& nonces);

// Marks the lines of one connection, and finds those that were changed, left out, repeated or put
// in by others. They can be read by anyone.
class PeerSeal {
 public:
  // `role`: whose lines it closes; those that it opens are the other's.
  PeerSeal(const std::string& token, PeerRole role, const PeerNonces& nonces);

  // The line with its seal before it.
  std::string close(const std::string& line);
  // The line behind its seal; nothing when that is not the right one for the next line.
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
