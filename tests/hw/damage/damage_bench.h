// Drives plumb_damage clock by clock, and says from docs/card.md what it must have done: a plain
// program over whole frames.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.h"
#include "card/damage.h"
#include "wire/bytes.h"

namespace plumbline::test {

// A frame with what travels beside it.
struct DamageFrame {
  wire::Buffer bytes;
  bool own_control = false;  // a MAC control frame of the card itself
  bool icrc = false;
  std::uint32_t priority = 0;
  std::uint32_t flow = 0;
  std::uint32_t number = 0;
  std::uint64_t stamp = 0;
  std::uint64_t preamble = 0;

  bool operator==(const DamageFrame&) const = default;
};

// The model with its ports, whatever its parameters.
class DamageModel {
 public:
  virtual ~DamageModel() = default;
  struct Beat {
    bool valid = false;
    bool last = false;
    bool first = false;
    std::uint64_t keep = 0;
    std::array<std::uint32_t, 16> data{};
    std::uint64_t user = 0;
    std::uint64_t stamp = 0;
    std::uint64_t preamble = 0;
  };
  virtual void drive(const Beat& beat, bool ready) = 0;  // and lets the logic settle
  virtual void edge() = 0;
  [[nodiscard]] virtual bool taken() const = 0;  // s_tready_o
  [[nodiscard]] virtual Beat out() const = 0;
  virtual void loadRule(bool load, std::uint32_t slot, const card::DamageRuleWords& rule) = 0;
  virtual void loadRandom(bool load, bool on, const card::BitErrorSetting& setting) = 0;
  virtual void clear(bool clear) = 0;
  virtual void pop(bool pop) = 0;
  [[nodiscard]] virtual bool randomReady() const = 0;
  [[nodiscard]] virtual bool randomLate() const = 0;
  [[nodiscard]] virtual bool logValid() const = 0;
  [[nodiscard]] virtual card::DamageEvent logEvent() const = 0;
  [[nodiscard]] virtual std::uint32_t strikes(std::uint32_t slot) const = 0;
  // Adds the pulses of this clock.
  virtual void count(card::DamageCounters& counters) const = 0;
};

std::unique_ptr<DamageModel> makeSentModel();
std::unique_ptr<DamageModel> makeReceivedModel();

class DamageBench {
 public:
  explicit DamageBench(card::DamageDirection direction);

  void setRule(std::uint32_t slot, const card::DamageRule& rule);
  // Starts random errors and waits until they are ready; std::nullopt stops them.
  void setRandom(const std::optional<card::BitErrorSetting>& setting);
  void clear();
  // Gives the frames to the model, all but their way out.
  void feed(const std::vector<DamageFrame>& frames);
  // The same, and lets them through.
  void run(const std::vector<DamageFrame>& frames);
  void clocks(int count);

  // Per clock: a beat is offered, the MAC takes one, the log is read if it has something.
  std::function<bool()> offer;
  std::function<bool()> ready;
  std::function<bool()> read_log;

  std::vector<DamageFrame> out;
  std::vector<std::uint64_t> latency;  // clocks from a frame's first beat taken to it leaving
  std::vector<card::DamageEvent> log;
  card::DamageCounters counters;
  std::uint64_t late = 0;
  [[nodiscard]] std::uint32_t strikes(std::uint32_t slot) const { return model_->strikes(slot); }

 private:
  void clock();

  card::DamageDirection direction_;
  std::unique_ptr<DamageModel> model_;
  std::deque<DamageFrame> waiting_;
  std::deque<std::pair<std::uint64_t, std::uint64_t>>
      taken_at_;            // stamp and clock of frames inside
  std::size_t offset_ = 0;  // bytes of the front frame that were taken
  bool offered_ = false;    // a beat is offered and not taken
  std::uint64_t clock_ = 0;
  int until_pop_ = 0;
  DamageFrame leaving_;
  DamageModel::Beat held_;
  bool holding_ = false;
};

// What must happen.
class DamageReference {
 public:
  explicit DamageReference(card::DamageDirection direction) : direction_(direction) {}

  void setRule(std::uint32_t slot, const card::DamageRule& rule);
  void setRandom(const card::BitErrorSetting& setting);
  void pass(const DamageFrame& frame);

  std::vector<DamageFrame> out;
  std::vector<card::DamageEvent> log;
  card::DamageCounters counters;
  std::array<std::uint32_t, card::kDamageSlots> strikes{};

 private:
  struct Rule {
    card::DamageRule rule;
    std::uint64_t next = 0;
  };

  card::DamageDirection direction_;
  std::array<Rule, card::kDamageSlots> rules_;
  std::optional<card::BitErrorSource> source_;
  std::uint64_t error_ = 0;  // position of the next random error
  std::uint64_t block_ = 0;  // of the next beat
  std::uint32_t any_ = 0;
  std::uint32_t control_ = 0;
};

// A frame of `length` bytes with right FCS, random inside.
DamageFrame makeDamageFrame(RandomStream& random, std::uint32_t length);

}  // namespace plumbline::test
