#include "transport/uet/uet_protocol.h"

#include <algorithm>

namespace plumbline::transport {

using fabric::earlier;

namespace {

const UetSpec& checked(const UetSpec& spec) {
  validate(spec);
  return spec;
}

fabric::PriorityMask maskOf(std::uint8_t priority) {
  return static_cast<fabric::PriorityMask>(1U << priority);
}

}  // namespace

UetProtocol::UetProtocol(const UetSpec& spec, const HostContext& context)
    : spec_(checked(spec)),
      control_(maskOf(spec_.control_priority)),
      data_(maskOf(spec_.data_priority)),
      host_(spec_, context),
      sender_(host_),
      receiver_(host_) {}

void UetProtocol::post(const Message& message, Picoseconds now) {
  sender_.post(message, now);
  updateWake();
}

void UetProtocol::receive(const fabric::Packet& packet, Picoseconds now) {
  switch (pdsType(packet.opcode)) {
    case PdsType::kRudRequest:
    case PdsType::kRodRequest:
    case PdsType::kRudiRequest:
    case PdsType::kUudRequest:
    case PdsType::kRudCcRequest:
    case PdsType::kRodCcRequest:
      receiver_.onData(packet, now);
      break;
    case PdsType::kAck:
    case PdsType::kAckCc:
      sender_.onAck(packet, now);
      break;
    case PdsType::kRudiResponse:
      sender_.onRudiResponse(packet, now);
      break;
    case PdsType::kNack:
      sender_.onNack(packet, now);
      break;
    case PdsType::kControl:
      switch (static_cast<ControlType>(packet.aux)) {
        case ControlType::kCloseCommand:
          receiver_.onData(packet, now);
          break;
        case ControlType::kCredit:
          sender_.onCredit(packet, now);
          break;
        case ControlType::kCreditRequest:
          receiver_.onCreditRequest(packet, now);
          break;
      }
      break;
    case PdsType::kTss:
    case PdsType::kAckCcx:
    case PdsType::kNackCcx:
      break;  // not sent in this model
  }
  notify(now);
  updateWake();
}

bool UetProtocol::transmit(Picoseconds now, fabric::PriorityMask paused, fabric::Packet& packet) {
  if ((paused & control_) == 0 && host_.transmitControl(now, packet)) {
    updateFrames();
    return true;
  }
  if ((paused & data_) != 0 || !sender_.hasReady()) return false;
  bool sent = sender_.transmit(now, packet);
  // A PDC that found no credit may have queued a request for it.
  if (!sent && (paused & control_) == 0) sent = host_.transmitControl(now, packet);
  if (spec_.service == UetService::kUud) {
    // Its messages are done when they are sent.
    notify(now);
    updateWake();
  } else {
    // Of all that updateWake() considers, only a timer may have been set.
    setWakeAt(earlier(wakeAt(), host_.nextTimer()));
    updateFrames();
  }
  return sent;
}

void UetProtocol::wake(Picoseconds now) {
  while (host_.nextTimer() <= now) {
    const UetTimerEntry timer = host_.popTimer();
    if (timer.kind == UetTimer::kTargetExpiry) {
      receiver_.onExpiry(timer, now);
    } else {
      sender_.onTimer(timer, now);
    }
  }
  sender_.closeIdle(now);
  receiver_.acknowledgeLate(now);
  receiver_.pace(now);
  notify(now);
  updateWake();
}

// Calls the application only when both halves are consistent again, since it may post at once.
void UetProtocol::notifyAll(Picoseconds now) {
  Application* const application = host_.context().application;
  std::vector<UetDelivery>& deliveries = receiver_.deliveries();
  for (std::size_t i = 0; i < deliveries.size(); ++i) {
    const UetDelivery d = deliveries[i];
    if (d.read_request) {
      sender_.postReadResponse(d.from, d.flow, d.bytes, d.tag, now);
      continue;
    }
    const bool acknowledged = spec_.service != UetService::kUud;
    Arrival arrival{d.from, d.flow, d.verb, d.bytes, d.tag, acknowledged, d.number};
    if (d.response) {
      Completion completion;
      if (!sender_.completeRead(d.from, d.flow, d.tag, now, completion)) continue;
      arrival.tag = completion.tag;
      sender_.completions().push_back(completion);
    }
    if (application != nullptr) application->onArrival(arrival, now);
  }
  deliveries.clear();
  std::vector<Completion>& completions = sender_.completions();
  for (std::size_t i = 0; i < completions.size(); ++i) {
    const Completion completion = completions[i];
    if (application != nullptr) application->onCompletion(completion, now);
  }
  completions.clear();
}

void UetProtocol::updateWake() {
  const Picoseconds sender = earlier(host_.nextTimer(), sender_.nextClose());
  const Picoseconds receiver = earlier(receiver_.nextGrant(), receiver_.nextLateAck());
  setWakeAt(earlier(sender, receiver));
  updateFrames();
}

void UetProtocol::appendFlows(std::vector<FlowStats>& flows) const {
  sender_.appendFlows(flows);
  receiver_.appendFlows(flows);
}

}  // namespace plumbline::transport
