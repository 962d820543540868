// libfabric's entry points, loaded when the first of them is called. Linked as usual, the library
// would cost every start of the command a fifth of a second (a provider of Debian's build
// calibrates its clock before main()). The rest of its interface is inline functions over tables
// that these return.
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

#include <string>

#include "base/interrupts.h"
#include "endpoint/fault.h"

namespace plumbline::bench_ofi {
namespace {

constexpr const char* kLibrary = "libfabric.so.1";

void* openLibrary() {
  const CrashHandlerRestorer kept;  // libraries of its providers for Omni-Path and InfiniPath
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw endpoint::fault(endpoint::FaultKind::kNoDevice,
                          std::string("libfabric cannot be loaded: ") + dlerror(), kLibrary);
  }
  return library;
}

// The library's function of this name and type.
template <typename Function>
Function* entry(const char* name) {
  static void* const library = openLibrary();
  void* const function = dlsym(library, name);
  if (function == nullptr) {
    throw endpoint::fault(endpoint::FaultKind::kNoDevice,
                          std::string("libfabric lacks a function: ") + name, kLibrary);
  }
  return reinterpret_cast<Function*>(function);
}

}  // namespace
}  // namespace plumbline::bench_ofi

using plumbline::CrashHandlerRestorer;
using plumbline::bench_ofi::entry;

extern "C" {

int fi_getinfo(uint32_t version, const char* node, const char* service, uint64_t flags,
               const struct fi_info* hints, struct fi_info** info) {
  const CrashHandlerRestorer kept;
  return entry<decltype(fi_getinfo)>("fi_getinfo")(version, node, service, flags, hints, info);
}

void fi_freeinfo(struct fi_info* info) { entry<decltype(fi_freeinfo)>("fi_freeinfo")(info); }

struct fi_info* fi_dupinfo(const struct fi_info* info) {
  return entry<decltype(fi_dupinfo)>("fi_dupinfo")(info);
}

int fi_fabric(struct fi_fabric_attr* attributes, struct fid_fabric** fabric, void* context) {
  const CrashHandlerRestorer kept;
  return entry<decltype(fi_fabric)>("fi_fabric")(attributes, fabric, context);
}

const char* fi_strerror(int number) { return entry<decltype(fi_strerror)>("fi_strerror")(number); }

char* fi_tostr(const void* data, enum fi_type type) {
  return entry<decltype(fi_tostr)>("fi_tostr")(data, type);
}

}  // extern "C"
