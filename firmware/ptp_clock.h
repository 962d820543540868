// The ordinary clock of IEEE 1588 on one port: end-to-end delay mechanism, two-step, over Ethernet,
// as master or as slave; or a clock that follows a pulse per second. Roles are the host's choice:
// there is no best-master algorithm. A slave follows the first master of its domain that it hears
// announced, until that is silent for three of its intervals, or sends no Sync for 16 of those.
//
// Link: what sends and receives frames and has the card's time (event_port.h):
//   bool receive(Received& frame)       the next frame received
//   bool idle()                         no frame is on its way out
//   void send(const uint8_t (&)[], uint32_t bytes)
//   bool sent(uint64_t& time_ps)        when the last frame left; false if it did not
//   bool pulse(uint64_t& time_ps)       a new edge of the pulse per second
//   void setRate(int32_t rate)          of the card's time against its oscillator, 1e-12
//   void step(int64_t ps)
#pragma once

#include "firmware/interface.h"
#include "firmware/ptp_message.h"
#include "firmware/ptp_servo.h"
#include "firmware/wide.h"

namespace plumbline::firmware::ptp {

struct Received {
  uint8_t bytes[kMaxFrameBytes];
  uint32_t length;
  uint64_t time_ps;
};

struct Settings {
  PtpRole role;
  uint16_t port;  // of the card
  uint8_t domain;
  int8_t log_sync;  // intervals, log2 of seconds
  int8_t log_delay;
  int8_t log_announce;
  uint8_t mac[6];
};

template <typename Link>
class Clock {
 public:
  constexpr explicit Clock(Link& link) : link_(link) {}

  // Begins in a role. Time and rate stay as they are.
  void start(const Settings& settings) {
    settings_ = settings;
    identity_ = identityOf(settings.mac, static_cast<uint16_t>(settings.port + 1));
    sync_due_us_ = 0;
    announce_due_us_ = 0;
    delay_due_us_ = 0;
    out_ = Out::kNone;
    follow_up_ = false;
    responses_ = 0;
    forgetMaster();
    held_ = false;
    if (settings.role == kPtpPps) servo_.start(0, false);
  }

  // One step, `elapsed_us` after the last one.
  void poll(uint32_t elapsed_us) {
    if (settings_.role == kPtpOff) return;
    if (settings_.role == kPtpPps) return pollPulse(elapsed_us);
    takeSent();
    Received frame;
    for (uint32_t i = 0; i < kFramesAStep && link_.receive(frame); ++i) take(frame);
    if (settings_.role == kPtpMaster) {
      countDown(sync_due_us_, elapsed_us);
      countDown(announce_due_us_, elapsed_us);
      sendAsMaster();
    } else {
      countDown(delay_due_us_, elapsed_us);
      countDown(answer_due_us_, elapsed_us);
      watchMaster(elapsed_us);
      sendAsSlave();
    }
  }

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] PtpState state() const {
    switch (settings_.role) {
      case kPtpOff:
        return kPtpFree;
      case kPtpMaster:
        return kPtpSends;
      default:
        if (!has_master_) return held_ ? kPtpHoldover : kPtpListening;
        if (servo_.locked()) return kPtpLocked;
        return servo_.phase() == Servo::Phase::kTrack ? kPtpTracking : kPtpMeasuring;
    }
  }
  // All of `status` but its sequence number, and what Control knows.
  void report(volatile PtpStatus& status) const {
    status.role = settings_.role;
    status.port = settings_.port;
    status.domain = settings_.domain;
    status.state = state();
    status.master_high = 0;
    status.master_low = 0;
    for (uint32_t i = 0; i < 4; ++i) {
      status.master_high = status.master_high << 8 | master_.clock[i];
      status.master_low = status.master_low << 8 | master_.clock[4 + i];
    }
    status.master_port = master_.port;
    store(status.offset_ps, static_cast<uint64_t>(servo_.offsetPs()));
    store(status.delay_ps, static_cast<uint64_t>(servo_.delayPs()));
    status.uncertainty_ps = servo_.uncertaintyPs();
    status.rate = static_cast<uint32_t>(servo_.rate());
    status.syncs = syncs_;
    status.exchanges = delays_;
    status.outliers = servo_.outliers();
    status.steps = steps_;
    status.losses = losses_;
    status.bad_frames = bad_frames_;
    status.dropped = dropped_;
  }

  [[nodiscard]] uint32_t syncs() const { return syncs_; }
  [[nodiscard]] uint32_t exchanges() const { return delays_; }
  [[nodiscard]] uint32_t steps() const { return steps_; }
  [[nodiscard]] int64_t lastStepPs() const { return last_step_ps_; }

 private:
  // A frame on its way out whose departure is of interest, or none.
  enum class Out : uint8_t { kNone, kSync, kDelayReq, kOther };
  struct Response {
    PortIdentity requester;
    uint16_t sequence;
    int64_t correction;
    uint64_t time_ps;
  };

  static constexpr uint32_t kFramesAStep = 4;
  static constexpr uint32_t kResponses = 8;
  static constexpr uint32_t kSilentIntervals = 3;
  static constexpr uint32_t kPatientIntervals = 4;
  static constexpr uint32_t kSilentSyncs = 16;
  static constexpr uint32_t kPulseTimeoutUs = 3'000'000;
  static constexpr int64_t kHalfSecondPs = 500'000'000'000;

  static uint32_t intervalUs(int32_t log) {
    const int32_t most = log > 6 ? 6 : log < -10 ? -10 : log;
    return most < 0 ? 1'000'000u >> -most : 1'000'000u << most;
  }
  static void countDown(uint32_t& due_us, uint32_t elapsed_us) {
    due_us = due_us > elapsed_us ? due_us - elapsed_us : 0;
  }

  // ---- Receiving ----

  void take(const Received& frame) {
    Message message;
    if (!decode(frame.bytes, frame.length, message)) {
      ++bad_frames_;
      return;
    }
    if (message.domain != settings_.domain || message.source == identity_) return;
    if (settings_.role == kPtpMaster) {
      if (message.type == kDelayReq) takeRequest(message, frame.time_ps);
      return;
    }
    if (message.type == kAnnounce) return takeAnnounce(message);
    if (!has_master_ || !(message.source == master_)) return;
    switch (message.type) {
      case kSync:
        return takeSync(message, frame.time_ps);
      case kFollowUp:
        return takeFollowUp(message);
      case kDelayResp:
        return takeResponse(message);
      default:
        return;
    }
  }

  void takeRequest(const Message& message, uint64_t time_ps) {
    if (responses_ == kResponses) {
      ++dropped_;
      return;
    }
    response_[responses_++] = {message.source, message.sequence, message.correction, time_ps};
  }

  void takeAnnounce(const Message& message) {
    if (has_master_ && !(message.source == master_)) return;
    if (!has_master_) {
      has_master_ = true;
      master_ = message.source;
      servo_.start(settings_.log_sync, true);
    }
    silent_us_ = 0;
    silence_us_ = kSilentIntervals * intervalUs(message.log_interval);
  }

  void takeSync(const Message& message, uint64_t time_ps) {
    sync_time_ps_ = time_ps;
    sync_correction_ps_ = correctionPs(message.correction);
    sync_sequence_ = message.sequence;
    sync_waits_ = message.two_step;
    // The servo's gains are those of the interval at which Syncs really come.
    sync_log_ = message.log_interval;
    if (!message.two_step) synchronise(message.time_ps);
  }

  void takeFollowUp(const Message& message) {
    if (!sync_waits_ || message.sequence != sync_sequence_) return;
    sync_waits_ = false;
    synchronise(message.time_ps + correctionPs(message.correction));
  }

  void synchronise(uint64_t sent_ps) {
    if (sync_log_ != servo_log_ && sync_log_ != 0x7F) {
      servo_log_ = sync_log_;
      servo_.start(sync_log_, true);
    }
    ++syncs_;
    no_sync_us_ = 0;
    carryOut(servo_.sync(sent_ps + sync_correction_ps_, sync_time_ps_));
    // While the delay is measured, exchanges come as fast as Syncs do.
    if (servo_.phase() == Servo::Phase::kDelay) delay_due_us_ = 0;
    asks_ = servo_.phase() != Servo::Phase::kRate;
  }

  void takeResponse(const Message& message) {
    if (!request_left_ || message.sequence != request_sequence_ ||
        !(message.requester == identity_)) {
      return;
    }
    request_left_ = false;
    ++delays_;
    carryOut(servo_.delay(request_time_ps_, message.time_ps - correctionPs(message.correction)));
  }

  void carryOut(const Action& action) {
    if (action.set_rate) link_.setRate(servo_.rate());
    if (action.step_ps != 0) {
      link_.step(action.step_ps);
      ++steps_;
      last_step_ps_ = action.step_ps;
      // Times of before the step do not go with those of after it.
      sync_waits_ = false;
      request_left_ = false;
      if (out_ == Out::kDelayReq) out_ = Out::kOther;
    }
  }

  void watchMaster(uint32_t elapsed_us) {
    if (!has_master_) return;
    silent_us_ += elapsed_us;
    no_sync_us_ += elapsed_us;
    if (silent_us_ < silence_us_ && no_sync_us_ < kSilentSyncs * intervalUs(sync_log_)) return;
    loseMaster();
    forgetMaster();
  }

  void loseMaster() {
    ++losses_;
    held_ = held_ || servo_.locked();
    servo_.hold();
    link_.setRate(servo_.rate());
  }

  void forgetMaster() {
    has_master_ = false;
    master_ = {};
    silent_us_ = 0;
    no_sync_us_ = 0;
    sync_log_ = 0;
    sync_waits_ = false;
    request_left_ = false;
    asks_ = false;
    servo_log_ = 0x7F;
  }

  void pollPulse(uint32_t elapsed_us) {
    uint64_t time_ps = 0;
    if (link_.pulse(time_ps)) {
      has_master_ = true;
      silent_us_ = 0;
      ++syncs_;
      // The nearest whole second is the master's time.
      const auto beyond = static_cast<int64_t>(time_ps % kPsPerSecond);
      const int64_t offset = beyond < kHalfSecondPs ? beyond : beyond - 2 * kHalfSecondPs;
      carryOut(servo_.sync(time_ps - static_cast<uint64_t>(offset), time_ps));
      return;
    }
    if (!has_master_) return;
    silent_us_ += elapsed_us;
    if (silent_us_ < kPulseTimeoutUs) return;
    loseMaster();
    has_master_ = false;
    servo_.start(0, false);
  }

  // ---- Sending ----

  Message message(MessageType type, uint16_t sequence, int32_t log_interval) const {
    Message made{};
    made.type = type;
    made.domain = settings_.domain;
    made.source = identity_;
    made.sequence = sequence;
    made.log_interval = static_cast<int8_t>(log_interval);
    return made;
  }

  void send(const Message& message, Out out) {
    uint8_t frame[kMaxFrameBytes];
    const uint32_t bytes = encode(message, settings_.mac, frame);
    link_.send(frame, bytes);
    out_ = out;
  }

  // The frame that has left, if it has, and what its departure is for.
  void takeSent() {
    if (out_ == Out::kNone || !link_.idle()) return;
    const Out left = out_;
    out_ = Out::kNone;
    uint64_t time_ps = 0;
    if (!link_.sent(time_ps)) {
      ++dropped_;
      return;
    }
    if (left == Out::kSync) {
      follow_up_ = true;
      follow_up_ps_ = time_ps;
    } else if (left == Out::kDelayReq) {
      request_left_ = true;
      request_time_ps_ = time_ps;
    }
  }

  // The part of `time_ps` below a ns, to be added to a correction, or subtracted from one: rounded
  // so that the other end, which rounds down, has the ps again.
  static int64_t restToAdd(uint64_t time_ps) {
    return static_cast<int64_t>((time_ps % 1000 * 65'536 + 999) / 1000);
  }
  static int64_t restToSubtract(uint64_t time_ps) {
    return static_cast<int64_t>(time_ps % 1000 * 65'536 / 1000);
  }

  void sendAsMaster() {
    if (out_ != Out::kNone) return;
    if (follow_up_) {
      follow_up_ = false;
      Message made = message(kFollowUp, sync_sequence_, settings_.log_sync);
      made.time_ps = follow_up_ps_;
      made.correction = restToAdd(follow_up_ps_);
      send(made, Out::kOther);
    } else if (responses_ != 0) {
      sendResponse();
    } else if (sync_due_us_ == 0) {
      sync_due_us_ = intervalUs(settings_.log_sync);
      Message made = message(kSync, ++sync_sequence_, settings_.log_sync);
      made.two_step = true;
      send(made, Out::kSync);
      ++syncs_;
    } else if (announce_due_us_ == 0) {
      announce_due_us_ = intervalUs(settings_.log_announce);
      send(message(kAnnounce, ++announce_sequence_, settings_.log_announce), Out::kOther);
    }
  }

  void sendResponse() {
    const Response& first = response_[0];
    Message made = message(kDelayResp, first.sequence, settings_.log_delay);
    made.time_ps = first.time_ps;
    made.correction = first.correction - restToSubtract(first.time_ps);
    made.requester = first.requester;
    for (uint32_t i = 1; i < responses_; ++i) response_[i - 1] = response_[i];
    --responses_;
    ++delays_;
    send(made, Out::kOther);
  }

  void sendAsSlave() {
    if (!asks_ || out_ != Out::kNone || delay_due_us_ != 0) return;
    if (request_left_ && answer_due_us_ != 0) return;  // the answer is on its way
    delay_due_us_ = intervalUs(settings_.log_delay);
    answer_due_us_ = kPatientIntervals * delay_due_us_;
    request_left_ = false;
    send(message(kDelayReq, ++request_sequence_, 0x7F), Out::kDelayReq);
  }

  Link& link_;
  Settings settings_{};
  PortIdentity identity_{};
  Servo servo_;

  // Slave
  bool has_master_ = false;
  PortIdentity master_{};
  bool held_ = false;  // a master was lost after the clock had been locked
  uint32_t silent_us_ = 0;
  uint32_t silence_us_ = 0;
  uint32_t no_sync_us_ = 0;
  bool sync_waits_ = false;  // for its Follow_Up
  uint64_t sync_time_ps_ = 0;
  int64_t sync_correction_ps_ = 0;
  int8_t sync_log_ = 0;
  int8_t servo_log_ = 0x7F;
  bool asks_ = false;  // the delay is wanted
  uint16_t request_sequence_ = 0;
  bool request_left_ = false;
  uint64_t request_time_ps_ = 0;
  uint32_t delay_due_us_ = 0;
  uint32_t answer_due_us_ = 0;  // until then the answer to a Delay_Req may come

  // Master
  uint32_t sync_due_us_ = 0;
  uint32_t announce_due_us_ = 0;
  uint16_t sync_sequence_ = 0;  // of the slave, too: that of the Sync that came last
  uint16_t announce_sequence_ = 0;
  bool follow_up_ = false;
  uint64_t follow_up_ps_ = 0;
  Response response_[kResponses] = {};
  uint32_t responses_ = 0;
  Out out_ = Out::kNone;

  uint32_t syncs_ = 0;
  uint32_t delays_ = 0;
  uint32_t steps_ = 0;
  int64_t last_step_ps_ = 0;
  uint32_t losses_ = 0;
  uint32_t bad_frames_ = 0;
  uint32_t dropped_ = 0;
};

}  // namespace plumbline::firmware::ptp
