#include "bench_verbs/verbs_fault.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

#include "endpoint/fault.h"

namespace plumbline::bench_verbs {
namespace {

using endpoint::FaultKind;

FaultKind kindOf(const std::string& call, int error) {
  // The calls that pin memory.
  const bool pins = call == "ibv_reg_mr" || call == "ibv_create_cq" || call == "ibv_create_qp" ||
                    call == "rdma_create_qp";
  if (pins && (error == ENOMEM || error == EPERM || error == EAGAIN)) {
    return FaultKind::kLockedMemory;
  }
  switch (error) {
    case ENODEV:
    case ENOSYS:
    case EADDRNOTAVAIL:
      return FaultKind::kNoDevice;
    case ECONNREFUSED:
    case ECONNRESET:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ETIMEDOUT:
      return FaultKind::kPeerGone;
    case EOVERFLOW:
      return FaultKind::kOverrun;
    default:
      return FaultKind::kOther;
  }
}

}  // namespace

Error verbsFault(const std::string& call, int error, const std::string& where) {
  return endpoint::fault(kindOf(call, error),
                         fmt::format("{}: {}", call, std::generic_category().message(error)),
                         where);
}

void checkErrno(int error, const char* call, const std::string& where) {
  if (error != 0) throw verbsFault(call, error, where);
}

void checkResult(int result, const char* call, const std::string& where) {
  if (result == -1) throw verbsFault(call, errno, where);
}

}  // namespace plumbline::bench_verbs
