#include "tests/hw/damage/damage_bench.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "wire/crc.h"

namespace plumbline::test {
namespace {

constexpr std::size_t kBeatBytes = 64;
constexpr int kPopClocks = 4;  // until the log shows the next event

std::uint64_t userWord(const DamageFrame& frame) {
  std::uint64_t word = frame.own_control ? 1 : 0;
  word = word << 1 | (frame.icrc ? 1 : 0);
  word = word << 3 | frame.priority;
  word = word << 12 | frame.flow;
  word = word << 32 | frame.number;
  return word << 14 | frame.bytes.size();
}

void readUser(std::uint64_t word, DamageFrame& frame) {
  frame.own_control = ((word >> 62) & 1) != 0;
  frame.icrc = ((word >> 61) & 1) != 0;
  frame.priority = static_cast<std::uint32_t>((word >> 58) & 7);
  frame.flow = static_cast<std::uint32_t>((word >> 46) & 0xFFF);
  frame.number = static_cast<std::uint32_t>(word >> 14);
}

bool isControl(const DamageFrame& frame) {
  return frame.bytes.size() >= 14 && frame.bytes[12] == 0x88 && frame.bytes[13] == 0x08;
}

void flip(wire::Buffer& bytes, std::uint64_t bit) {
  bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1U << (bit % 8)));
}

}  // namespace

DamageFrame makeDamageFrame(RandomStream& random, std::uint32_t length) {
  DamageFrame frame;
  frame.bytes.resize(length - std::min<std::size_t>(length, wire::kFcsSize));
  for (auto& byte : frame.bytes) byte = static_cast<std::uint8_t>(random.next());
  wire::appendFcs(frame.bytes);
  frame.bytes.resize(length);
  frame.icrc = random.below(2) != 0;
  frame.priority = static_cast<std::uint32_t>(random.below(8));
  frame.stamp = random.next() >> 1;
  frame.preamble = random.next() >> 8;
  return frame;
}

DamageBench::DamageBench(card::DamageDirection direction)
    : direction_(direction),
      model_(direction == card::DamageDirection::kSent ? makeSentModel() : makeReceivedModel()) {}

void DamageBench::setRule(std::uint32_t slot, const card::DamageRule& rule) {
  const card::DamageRuleWords words = damageRuleWords(rule, direction_);
  model_->loadRule(true, slot, words);
  clock();
  model_->loadRule(false, slot, words);
  // Rules for received frames need as long to see them.
  clocks(4);
}

void DamageBench::setRandom(const std::optional<card::BitErrorSetting>& setting) {
  model_->loadRandom(true, setting.has_value(), setting.value_or(card::BitErrorSetting{}));
  clock();
  model_->loadRandom(false, setting.has_value(), setting.value_or(card::BitErrorSetting{}));
  if (!setting) return;
  for (int i = 0; i < 1000 && !model_->randomReady(); ++i) clock();
  ASSERT_TRUE(model_->randomReady());
}

void DamageBench::clear() {
  model_->clear(true);
  clock();
  model_->clear(false);
}

void DamageBench::feed(const std::vector<DamageFrame>& frames) {
  waiting_.insert(waiting_.end(), frames.begin(), frames.end());
  while (!waiting_.empty()) clock();
}

void DamageBench::run(const std::vector<DamageFrame>& frames) {
  feed(frames);
  clocks(2000);
}

void DamageBench::clocks(int count) {
  for (int i = 0; i < count; ++i) clock();
}

void DamageBench::clock() {
  ++clock_;
  DamageModel::Beat beat;
  const bool sent = direction_ == card::DamageDirection::kSent;
  if (!waiting_.empty() && (offered_ || !offer || offer())) {
    const DamageFrame& frame = waiting_.front();
    const std::size_t bytes = std::min(kBeatBytes, frame.bytes.size() - offset_);
    beat.valid = true;
    beat.first = offset_ == 0;
    beat.last = offset_ + bytes == frame.bytes.size();
    beat.keep = ~std::uint64_t{0} >> (kBeatBytes - bytes);
    std::memcpy(beat.data.data(), frame.bytes.data() + offset_, bytes);
    if (beat.first) {
      beat.user = sent ? userWord(frame) : 0;
      beat.stamp = frame.stamp;
      beat.preamble = frame.preamble;
    }
  }
  const bool take_out = !sent || !ready || ready();
  // The log is read like a register: one pop, then a while for the next event.
  bool pop = false;
  if (until_pop_ > 0) {
    --until_pop_;
  } else if (model_->logValid() && (!read_log || read_log())) {
    log.push_back(model_->logEvent());
    pop = true;
    until_pop_ = kPopClocks;
  }
  model_->pop(pop);
  model_->drive(beat, take_out);
  offered_ = beat.valid && !model_->taken();
  if (beat.valid && model_->taken()) {
    if (beat.first) taken_at_.emplace_back(beat.stamp, clock_);
    offset_ += kBeatBytes;
    if (beat.last) {
      waiting_.pop_front();
      offset_ = 0;
    }
  }
  const DamageModel::Beat leaving = model_->out();
  if (holding_) {
    EXPECT_TRUE(leaving.valid);
    EXPECT_EQ(leaving.data, held_.data);
    EXPECT_EQ(leaving.keep, held_.keep);
  }
  holding_ = leaving.valid && !take_out;
  held_ = leaving;
  if (leaving.valid && take_out) {
    EXPECT_EQ(leaving.first, leaving_.bytes.empty());
    if (leaving.first) {
      if (sent) readUser(leaving.user, leaving_);
      leaving_.stamp = leaving.stamp;
      leaving_.preamble = leaving.preamble;
      // Those before it were dropped.
      while (taken_at_.size() > 1 && taken_at_.front().first != leaving.stamp)
        taken_at_.pop_front();
      latency.push_back(clock_ - taken_at_.front().second);
      taken_at_.pop_front();
    }
    const auto bytes = static_cast<std::size_t>(std::popcount(leaving.keep));
    EXPECT_EQ(leaving.keep, ~std::uint64_t{0} >> (kBeatBytes - bytes));
    EXPECT_TRUE(leaving.last || bytes == kBeatBytes);
    const auto* data = reinterpret_cast<const std::uint8_t*>(leaving.data.data());
    leaving_.bytes.insert(leaving_.bytes.end(), data, data + bytes);
    if (leaving.last) {
      out.push_back(std::move(leaving_));
      leaving_ = {};
    }
  }
  model_->count(counters);
  late += model_->randomLate() ? 1 : 0;
  model_->edge();
}

void DamageReference::setRule(std::uint32_t slot, const card::DamageRule& rule) {
  rules_[slot] = {rule, rule.first};
  strikes[slot] = 0;
}

void DamageReference::setRandom(const card::BitErrorSetting& setting) {
  source_.emplace(setting);
  error_ = source_->nextPosition();
  block_ = 0;
}

void DamageReference::pass(const DamageFrame& frame) {
  const bool sent = direction_ == card::DamageDirection::kSent;
  const bool control = isControl(frame);
  card::DamageEvent event;
  event.subject = control ? card::DamageMatch::kControl : card::DamageMatch::kAny;
  event.flow = sent ? frame.flow : 0;
  event.number = control ? control_ : sent ? frame.number : any_;
  event.time = Picoseconds(static_cast<std::int64_t>(frame.stamp));

  // The rule that strikes.
  Rule* struck = nullptr;
  for (std::uint32_t slot = 0; slot < rules_.size() && struck == nullptr; ++slot) {
    Rule& candidate = rules_[slot];
    const card::DamageRule& rule = candidate.rule;
    std::uint32_t number = any_;
    bool wanted = rule.kind != card::DamageKind::kNone;
    if (rule.match == card::DamageMatch::kFlow) {
      wanted = wanted && !frame.own_control && frame.flow == rule.flow;
      number = frame.number;
    } else if (rule.match == card::DamageMatch::kControl) {
      wanted = wanted && control;
      number = control_;
    }
    if (rule.kind == card::DamageKind::kIcrc) wanted = wanted && frame.icrc;
    if (rule.times != 0 && strikes[slot] >= rule.times) wanted = false;
    if (!wanted || number < candidate.next || number > rule.last) continue;
    struck = &candidate;
    candidate.next = std::uint64_t{number} + rule.step;
    ++strikes[slot];
    event.slot = slot;
  }
  ++any_;
  control_ += control ? 1 : 0;

  DamageFrame left = frame;
  wire::Buffer& bytes = left.bytes;
  std::optional<card::DamageEvent> ruled;
  std::uint64_t ruled_beat = 0;
  bool dropped = false;
  if (struck != nullptr) {
    const card::DamageRule& rule = struck->rule;
    event.kind = rule.kind;
    const std::uint64_t total = bytes.size() * 8;
    switch (rule.kind) {
      case card::DamageKind::kBits:
        if (rule.offset < total) {
          event.position = rule.offset;
          ruled = event;
          for (std::uint64_t bit = rule.offset; bit < rule.offset + rule.bits && bit < total;
               ++bit) {
            flip(bytes, bit);
          }
          ++counters.bits;
        }
        break;
      case card::DamageKind::kFcs:
      case card::DamageKind::kIcrc: {
        const std::size_t at = bytes.size() - (rule.kind == card::DamageKind::kFcs ? 4 : 8);
        event.position = static_cast<std::uint32_t>(at * 8);
        ruled = event;
        for (std::size_t i = 0; i < 4; ++i) {
          bytes[at + i] = static_cast<std::uint8_t>(bytes[at + i] ^ (rule.mask >> (8 * i)));
        }
        if (rule.kind == card::DamageKind::kIcrc) {
          bytes.resize(bytes.size() - wire::kFcsSize);
          wire::appendFcs(bytes);
          ++counters.icrc;
        } else {
          ++counters.fcs;
        }
        break;
      }
      case card::DamageKind::kTruncate:
        if (bytes.size() > rule.bytes) {
          event.position = rule.bytes;
          ruled = event;
          bytes.resize(rule.bytes);
          ++counters.truncated;
        }
        break;
      default:
        event.position = 0;
        ruled = event;
        dropped = true;
        ++counters.dropped;
        break;
    }
    if (ruled && rule.kind == card::DamageKind::kTruncate) ruled_beat = (rule.bytes - 1) / 64;
    if (ruled && rule.kind != card::DamageKind::kTruncate) ruled_beat = ruled->position / 512;
  }
  if (dropped) {
    log.push_back(*ruled);
    ++counters.frames;
    return;
  }
  std::uint64_t random_bits = 0;
  const std::uint64_t beats = (bytes.size() + 63) / 64;
  event.kind = card::DamageKind::kRandom;
  event.slot = 0;
  for (std::uint64_t beat = 0; beat < beats; ++beat, ++block_) {
    if (ruled && ruled_beat == beat) log.push_back(*ruled);
    while (source_ && error_ < (block_ + 1) * 512) {
      const std::uint64_t bit = beat * 512 + error_ % 512;
      if (bit < bytes.size() * 8) {
        flip(bytes, bit);
        event.position = static_cast<std::uint32_t>(bit);
        log.push_back(event);
        ++random_bits;
      }
      error_ = source_->nextPosition();
    }
  }
  counters.random_bits += random_bits;
  counters.random_frames += random_bits > 0 ? 1 : 0;
  counters.frames += random_bits > 0 || ruled ? 1 : 0;
  out.push_back(std::move(left));
}

}  // namespace plumbline::test
