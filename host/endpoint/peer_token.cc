#include "endpoint/peer_token.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <array>
#include <span>

#include "base/error.h"
#include "endpoint/hex.h"

namespace plumbline::endpoint {
namespace {

constexpr std::size_t kNonceBytes = 16;
constexpr std::size_t kMacDigits = 64;

std::string macOf(const std::string& key, const std::string& text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> mac{};
  unsigned length = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), mac.data(), &length);
  return hexOf(std::span(mac).first(length));
}

bool sameMac(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

const char* nameOf(PeerRole role) { return role == PeerRole::kBench ? "bench" : "target"; }

std::string about(const std::string& what, const PeerNonces& nonces) {
  return what + " " + nonces.target + " " + nonces.bench;
}

}  // namespace

std::string newNonce() {
  std::array<unsigned char, kNonceBytes> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    throw Error(ErrorKind::kTester, "the system has no random numbers");
  }
  return hexOf(bytes);
}

std::string proofOf(const std::string& token, PeerRole role, const PeerNonces& nonces) {
  return macOf(token, about(nameOf(role), nonces));
}

bool isProof(const std::string& proof, const std::string& token, PeerRole role,
             const PeerNonces& nonces) {
  return sameMac(proof, proofOf(token, role, nonces));
}

PeerSeal::PeerSeal(const std::string& token, PeerRole role, const PeerNonces& nonces)
    : key_(macOf(token, about("lines", nonces))), role_(role) {}

std::string PeerSeal::close(const std::string& line) {
  return sealOf(role_, closed_++, line) + " " + line;
}

std::optional<std::string> PeerSeal::open(std::string_view sealed) {
  if (sealed.size() <= kMacDigits || sealed[kMacDigits] != ' ') return std::nullopt;
  const std::string_view line = sealed.substr(kMacDigits + 1);
  const PeerRole other = role_ == PeerRole::kBench ? PeerRole::kTarget : PeerRole::kBench;
  if (!sameMac(sealed.substr(0, kMacDigits), sealOf(other, opened_, line))) return std::nullopt;
  ++opened_;
  return std::string(line);
}

std::string PeerSeal::sealOf(PeerRole role, std::uint64_t number, std::string_view line) const {
  return macOf(key_,
               std::string(nameOf(role)) + " " + std::to_string(number) + " " + std::string(line));
}

}  // namespace plumbline::endpoint
