// What can go wrong with endpoints, in words that say what to do about it. Carriers classify their
// library's error numbers; the words are here, so that they are the same for all of them.
#pragma once

#include <string>

#include "base/error.h"

namespace plumbline::endpoint {

enum class FaultKind {
  kNoDevice,      // the device, provider or address is not there: exit code 2
  kPeerGone,      // the other end does not answer any more
  kCompletion,    // a message completed in error
  kOverrun,       // more completions than a queue has room for
  kUnasked,       // something came that the own side did not ask for
  kLockedMemory,  // memory cannot be registered: the limit of locked memory, probably
  kOther,
};

// `what`: the fault in one sentence, with the library's own words; `where`: the object.
Error fault(FaultKind kind, const std::string& what, const std::string& where);

// A completion that belongs to no message of this side: a peer, or somebody else who reaches the
// endpoints, sent it. Ends the trial, as what it measures may not be the trial's.
Error unaskedFault(const std::string& where);

// The limit of locked memory of this process in words: "8192 KiB", "unlimited".
std::string lockedMemoryLimit();

}  // namespace plumbline::endpoint
