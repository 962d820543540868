#include "fabric/switch/egress_port.h"

namespace plumbline::fabric {

EgressPort::EgressPort(std::uint16_t port, Transmitter::Setup setup, PropagationQueue& queue,
                       Recorder& recorder, const SwitchSpec& spec, std::uint32_t ports)
    : number(port), transmitter(std::move(setup), queue, recorder), scheduler(spec) {
  transmitter.enableRetry();
  if (spec.voq) {
    for (Queue& one : queues) one.frames = FrameQueue(ports);
  }
}

}  // namespace plumbline::fabric
