#include "endpoint/peer_answer.h"

#include <chrono>
#include <optional>
#include <utility>

#include "endpoint/fault.h"

namespace plumbline::endpoint {
namespace {

// The questions may share a link with more messages than it carries.
constexpr std::chrono::milliseconds kPatience{60'000};
constexpr std::chrono::milliseconds kAnswerLook{200};

}  // namespace

Error senseless(const std::string& peer, const std::string& why) {
  return Error(ErrorKind::kTester, peer + " answers what makes no sense: " + why, "endpoint.peer",
               "a plumbline-target of this version");
}

PeerAnswer nextAnswer(PeerSocket& peer, const std::atomic<bool>& given_up) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  auto line = peer.receive(kAnswerLook);
  while (!line && !given_up.load() && std::chrono::steady_clock::now() < deadline) {
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
