// Faults of endpoints, with messages that state a remedy. Carriers classify their library's error
// numbers; the texts are here, the same for all carriers.
#pragma once

#include <string>

#include "base/error.h"

namespace plumbline::endpoint {

enum class FaultKind {
  kNoDevice,      // the device, provider or address does not exist: exit code 2
  kPeerGone,      // the other end does not answer any more
  kCompletion,    // a message completed in error
  kOverrun,       // more completions than fit into a queue
  kUnexpected,    // an unexpected completion
  kLockedMemory,  // memory cannot be registered: the limit of locked memory, probably
  kOther,
};

// `what`: the fault in one sentence, with the library's own text; `where`: the object.
Error fault(FaultKind kind, const std::string& what, const std::string& where);

// A completion that belongs to no message of this side: a peer, or another program that can reach
// the endpoints, caused it. Ends the trial, since its measurements may be affected.
Error unexpectedCompletion(const std::string& where);

// The limit of locked memory of this process in words: "8192 KiB", "unlimited".
std::string lockedMemoryLimit();

}  // namespace plumbline::endpoint
