#include "endpoint/peer_admission.h"

#include <chrono>
#include <optional>
#include <utility>

#include "base/error.h"
#include "endpoint/fault.h"
#include "endpoint/peer_answer.h"

namespace plumbline::endpoint {
namespace {

constexpr std::chrono::milliseconds kAdmissionTime{10'000};

std::string nextLine(PeerSocket& peer) {
  auto line = peer.receive(kAdmissionTime);
  if (!line) throw fault(FaultKind::kPeerGone, peer.peer() + " says nothing for 10 s", {});
  return *std::move(line);
}

Error wrongToken() {
  return Error(ErrorKind::kUsage, "the token is wrong", "endpoint.token_file",
               "the token of the target program's --token-file");
}

}  // namespace

void admit(PeerSocket& bench, const std::string& token) {
  if (token.empty()) return bench.send(encode(PeerGreeting{}));
  PeerNonces nonces;
  nonces.target = newNonce();
  bench.send(encode(PeerGreeting{nonces.target}));
  std::string why;
  const auto shown = decodeProof(nextLine(bench), why);
  if (!shown || shown->nonce.empty()) {
    throw Error(ErrorKind::kUsage, "a token is needed", "endpoint.token_file",
                "the token of the target program's --token-file");
  }
  nonces.bench = shown->nonce;
  if (!isProof(shown->proof, token, PeerRole::kBench, nonces)) throw wrongToken();
  bench.send(encode(PeerProof{{}, proofOf(token, PeerRole::kTarget, nonces)}));
  bench.seal(PeerSeal(token, PeerRole::kTarget, nonces));
}

void introduce(PeerSocket& target, const std::string& token) {
  std::string why;
  const auto greeting = decodeGreeting(nextLine(target), why);
  if (!greeting) throw malformedAnswer(target.peer(), why);
  if (greeting->nonce.empty() && token.empty()) return;
  if (token.empty()) {
    throw Error(ErrorKind::kUsage, target.peer() + " asks for a token", "endpoint.token_file",
                "a file with the token of its --token-file");
  }
  if (greeting->nonce.empty()) {
    throw Error(ErrorKind::kUsage,
                target.peer() +
                    " has no token, and so cannot show that it is "
                    "the one that is meant",
                "endpoint.token_file", "start it with --token-file, or leave token_file out");
  }
  PeerNonces nonces{greeting->nonce, newNonce()};
  target.send(encode(PeerProof{nonces.bench, proofOf(token, PeerRole::kBench, nonces)}));
  const std::string line = nextLine(target);
  const auto shown = decodeProof(line, why);
  if (!shown) {
    const auto refusal = decodeAnswer(line, why);
    if (!refusal || !refusal->fault) throw malformedAnswer(target.peer(), why);
    throw Error(refusal->fault->kind(), target.peer() + " says: " + refusal->fault->what());
  }
  if (!isProof(shown->proof, token, PeerRole::kTarget, nonces)) throw wrongToken();
  target.seal(PeerSeal(token, PeerRole::kBench, nonces));
}

}  // namespace plumbline::endpoint
