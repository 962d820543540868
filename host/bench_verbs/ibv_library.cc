#include "bench_verbs/ibv_library.h"

#include <infiniband/verbs.h>

#include <utility>

#include "bench_verbs/cm_connection.h"
#include "bench_verbs/ibv_pairs.h"
#include "bench_verbs/verbs_fault.h"

namespace plumbline::bench_verbs {
namespace {

class OutOfBandEnd final : public UnconnectedEnd {
 public:
  OutOfBandEnd(const bench::EndpointSpec& spec, const EndSpec& end)
      : spec_(spec), end_(makeEnd(spec, end)), address_(addressOf(*end_, spec)) {}

  [[nodiscard]] EndAddress address() const override { return address_; }
  std::unique_ptr<VerbsEnd> meet(const EndAddress& peer) override {
    introduce(*end_, spec_, address_, peer);
    return std::move(end_);
  }

 private:
  bench::EndpointSpec spec_;
  std::unique_ptr<IbvEnd> end_;
  EndAddress address_;
};

}  // namespace

std::vector<std::string> IbvLibrary::devices() const {
  int count = 0;
  ibv_device** list = ibv_get_device_list(&count);
  if (list == nullptr) return {};  // a kernel without support for RDMA
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) names.emplace_back(ibv_get_device_name(list[i]));
  ibv_free_device_list(list);
  return names;
}

PortLimits IbvLibrary::port(const bench::EndpointSpec& spec) const {
  const Ibv<ibv_context> context = openDevice(spec.device);
  const ibv_port_attr port = activePort(context.get(), spec);
  // IBV_MTU_256 is 1, and each further one twice as long.
  return {Bytes(port.max_msg_sz), Bytes(std::int64_t{128} << port.active_mtu)};
}

EndPair IbvLibrary::connect(const bench::EndpointSpec& spec, const EndSpec& initiator,
                            const EndSpec& target) {
  if (spec.connection == bench::Connection::kConnectionManager) {
    return connectByManager(spec, initiator, target);
  }
  OutOfBandEnd caller(spec, initiator);
  OutOfBandEnd callee(spec, target);
  const EndAddress caller_address = caller.address();
  const EndAddress callee_address = callee.address();
  return {caller.meet(callee_address), callee.meet(caller_address)};
}

std::unique_ptr<UnconnectedEnd> IbvLibrary::open(const bench::EndpointSpec& spec,
                                                 const EndSpec& end, Role role) {
  if (spec.connection == bench::Connection::kConnectionManager) {
    return role == Role::kInitiator ? makeCallerEnd(spec, end) : makeListenerEnd(spec, end);
  }
  return std::make_unique<OutOfBandEnd>(spec, end);
}

}  // namespace plumbline::bench_verbs
