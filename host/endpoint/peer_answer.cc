#include "endpoint/peer_answer.h"

#include <chrono>
#include <optional>
#include <utility>

#include "base/work.h"
#include "endpoint/fault.h"

namespace plumbline::endpoint {
namespace {

constexpr std::chrono::milliseconds kAnswerLook{200};

}  // namespace

Error senseless(const std::string& peer, const std::string& why) {
  return Error(ErrorKind::kTester, peer + " sent a malformed answer: " + why, "endpoint.peer",
               "a plumbline-target of this version");
}

PeerAnswer nextAnswer(PeerSocket& peer, const std::atomic<bool>& given_up,
                      std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  auto line = peer.receive(kAnswerLook);
  while (!line && !given_up.load() && std::chrono::steady_clock::now() < deadline) {
    checkWork();
    line = peer.receive(kAnswerLook);
  }
  if (!line) throw fault(FaultKind::kPeerGone, peer.peer() + " does not answer any more", {});
  std::string why;
  auto answer = decodeAnswer(*line, why);
  if (!answer) throw senseless(peer.peer(), why);
  if (answer->fault) {
    throw Error(answer->fault->kind(), peer.peer() + " says: " + answer->fault->what());
  }
  return *std::move(answer);
}

}  // namespace plumbline::endpoint
