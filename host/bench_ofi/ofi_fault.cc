#include "bench_ofi/ofi_fault.h"

#include <fmt/format.h>
#include <rdma/fi_errno.h>

#include <cstdlib>

namespace plumbline::bench_ofi {

using endpoint::FaultKind;

FaultKind faultKindOf(ssize_t code) {
  switch (std::abs(code)) {
    case FI_ENODATA:
    case FI_ENODEV:
    case FI_ENOSYS:
    case FI_EADDRNOTAVAIL:
      return FaultKind::kNoDevice;
    case FI_ENOTCONN:
    case FI_ECONNREFUSED:
    case FI_ECONNRESET:
    case FI_ECONNABORTED:
    case FI_EHOSTUNREACH:
    case FI_ENETUNREACH:
    case FI_ESHUTDOWN:
    case FI_ETIMEDOUT:
    case EPIPE:
      return FaultKind::kPeerGone;
    case FI_EOVERRUN:
      return FaultKind::kOverrun;
    default:
      return FaultKind::kOther;
  }
}

Error ofiFault(const std::string& call, ssize_t code, const std::string& where) {
  FaultKind kind = faultKindOf(code);
  const auto error = static_cast<int>(std::abs(code));
  // The only call that pins memory.
  if (call == "fi_mr_reg" && (error == FI_ENOMEM || error == FI_EPERM || error == FI_EAGAIN)) {
    kind = FaultKind::kLockedMemory;
  }
  return endpoint::fault(kind, fmt::format("{}: {}", call, fi_strerror(error)), where);
}

void check(ssize_t code, const char* call, const std::string& where) {
  if (code < 0) throw ofiFault(call, code, where);
}

}  // namespace plumbline::bench_ofi
