#include "endpoint/peer_answer.h"

#include <chrono>
#include <optional>
#include <utility>

#include "base/work.h"
#include "endpoint/fault.h"

namespace plumbline::endpoint {
namespace {

constexpr std::chrono::milliseconds kAnswerPollInterval{200};

}  // namespace

Error malformedAnswer(const std::string& peer, const std::string& why) {
  return Error(ErrorKind::kTester, peer + " sent a malformed answer: " + why, "endpoint.peer",
               "a plumbline-target of this version");
}

PeerAnswer nextAnswer(PeerSocket& peer, const std::atomic<bool>& given_up,
                      std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  auto line = peer.receive(kAnswerPollInterval);
  while (!line && !given_up.load() && std::chrono::steady_clock::now() < deadline) {
    checkWork();
    line = peer.receive(kAnswerPollInterval);
  }
  if (!line) throw fault(FaultKind::kPeerGone, peer.peer() + " does not answer any more", {});
  std::string why;
  auto answer = decodeAnswer(*line, why);
  if (!answer) throw malformedAnswer(peer.peer(), why);
  if (answer->fault) {
    throw Error(answer->fault->kind(), peer.peer() + " says: " + answer->fault->what());
  }
  return *std::move(answer);
}

}  // namespace plumbline::endpoint
