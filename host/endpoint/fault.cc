#include "endpoint/fault.h"

#include <fmt/format.h>
#include <sys/resource.h>

namespace plumbline::endpoint {
namespace {

std::string remedyOf(FaultKind kind) {
  switch (kind) {
    case FaultKind::kNoDevice:
      return "another device or provider, or a bench that needs none: rtl, sim";
    case FaultKind::kPeerGone:
      return "see whether the peer's process and link are up, then run again with --resume";
    case FaultKind::kCompletion:
      return "see the NIC's own counters and the peer's log, then run again with --resume";
    case FaultKind::kOverrun:
      return "a smaller endpoint.window, or fewer queue pairs";
    case FaultKind::kUnexpected:
      return "the peer's program and version, and which other hosts reach these endpoints; then "
             "run again "
             "with --resume";
    case FaultKind::kLockedMemory:
      return fmt::format(
          "raise the limit of locked memory, which is {}: `ulimit -l unlimited`, or a memlock line "
          "in /etc/security/limits.d; or use smaller messages",
          lockedMemoryLimit());
    case FaultKind::kOther:
      break;
  }
  return {};
}

}  // namespace

Error fault(FaultKind kind, const std::string& what, const std::string& where) {
  // Both can be corrected before a run begins; the others occur during one.
  const bool refused = kind == FaultKind::kNoDevice || kind == FaultKind::kLockedMemory;
  return Error(refused ? ErrorKind::kUnsupported : ErrorKind::kTester, what, where, remedyOf(kind));
}

Error unexpectedCompletion(const std::string& where) {
  return fault(FaultKind::kUnexpected, "the peer sent a message that was not requested", where);
}

std::string lockedMemoryLimit() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);
  if (limit.rlim_cur == RLIM_INFINITY) return "unlimited";
  return fmt::format("{} KiB", limit.rlim_cur / 1024);
}

}  // namespace plumbline::endpoint
