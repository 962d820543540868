#include "endpoint/peer_token.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace plumbline::endpoint {
namespace {

const PeerNonces kNonces{"11", "22"};

// From Python: hmac.new(b"secret", b"bench 11 22", "sha256").hexdigest().
TEST(PeerProofs, AreHmacs) {
  EXPECT_EQ(proofOf("secret", PeerRole::kBench, kNonces),
            "46d82a6cf7504da748bb675c1fdce1ac296db20b4c379c6410c4d88385c5999b");
}

TEST(PeerProofs, AreOfOneTokenOneRoleAndOneConnection) {
  const std::string proof = proofOf("secret", PeerRole::kBench, kNonces);
  EXPECT_TRUE(isProof(proof, "secret", PeerRole::kBench, kNonces));
  EXPECT_FALSE(isProof(proof, "Secret", PeerRole::kBench, kNonces));
  EXPECT_FALSE(isProof(proof, "secret", PeerRole::kTarget, kNonces));
  EXPECT_FALSE(isProof(proof, "secret", PeerRole::kBench, {"11", "23"}));
  EXPECT_FALSE(isProof(proof, "secret", PeerRole::kBench, {"12", "22"}));
  EXPECT_FALSE(isProof("", "secret", PeerRole::kBench, kNonces));
}

TEST(PeerNonce, IsNeverTheSame) {
  const std::string nonce = newNonce();
  EXPECT_EQ(nonce.size(), 32U);
  EXPECT_EQ(nonce.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_NE(newNonce(), nonce);
}

TEST(PeerSeal, OpensTheOthersLinesInTheirOrder) {
  PeerSeal bench("secret", PeerRole::kBench, kNonces);
  PeerSeal target("secret", PeerRole::kTarget, kNonces);
  const std::string first = bench.close("{}");
  const std::string second = bench.close(R"({"ask":"told"})");
  EXPECT_FALSE(target.open(second)) << "one was left out";
  EXPECT_EQ(target.open(first), "{}");
  EXPECT_FALSE(target.open(first)) << "repeated";
  EXPECT_EQ(target.open(second), R"({"ask":"told"})");
  EXPECT_EQ(bench.open(target.close("")), "");
}

TEST(PeerSeal, FindsLinesThatAreNotTheOthers) {
  PeerSeal bench("secret", PeerRole::kBench, kNonces);
  PeerSeal target("secret", PeerRole::kTarget, kNonces);
  EXPECT_FALSE(bench.open(bench.close("mirrored")));
  std::string changed = bench.close("window 1");
  changed.back() = '2';
  EXPECT_FALSE(target.open(changed));
  EXPECT_FALSE(target.open("{}"));
  EXPECT_FALSE(target.open(std::string(64, '0')));
  EXPECT_FALSE(target.open(std::string(64, '0') + " {}"));
  PeerSeal stranger("other", PeerRole::kBench, kNonces);
  EXPECT_FALSE(PeerSeal("secret", PeerRole::kTarget, kNonces).open(stranger.close("{}")));
  PeerSeal earlier("secret", PeerRole::kBench, {"11", "21"});
  EXPECT_FALSE(PeerSeal("secret", PeerRole::kTarget, kNonces).open(earlier.close("{}")));
}

}  // namespace
}  // namespace plumbline::endpoint
