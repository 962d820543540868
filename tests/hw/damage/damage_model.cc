// The Verilated plumb_damage of both directions behind one interface.
#include <verilated.h>

#include <algorithm>
#include <array>

#include "Vplumb_damage_received.h"
#include "Vplumb_damage_sent.h"
#include "tests/hw/damage/damage_bench.h"
#include "tests/hw/packer.h"

namespace plumbline::test {
namespace {

// Takes fields out of a packed struct, lowest first.
template <typename Words>
class Fields {
 public:
  explicit Fields(const Words& words) : words_(words) {}
  std::uint64_t take(unsigned width) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i, ++at_) {
      value |= static_cast<std::uint64_t>((words_[at_ / 32] >> (at_ % 32)) & 1U) << i;
    }
    return value;
  }

 private:
  const Words& words_;
  unsigned at_ = 0;
};

template <typename Verilated>
class Model final : public DamageModel {
 public:
  Model() : model_(&context_) {
    model_.rst_ni = 1;
    model_.eval();
    model_.rst_ni = 0;
    for (int i = 0; i < 3; ++i) {
      drive({}, true);
      edge();
    }
    model_.rst_ni = 1;
  }
  ~Model() override { model_.final(); }

  void drive(const Beat& beat, bool ready) override {
    clock(0);
    model_.s_tvalid_i = beat.valid ? 1 : 0;
    model_.s_tlast_i = beat.last ? 1 : 0;
    model_.s_tkeep_i = beat.keep;
    std::copy(beat.data.begin(), beat.data.end(), model_.s_tdata_i.data());
    model_.s_user_i = beat.user;
    model_.s_stamp_i = beat.stamp;
    model_.s_preamble_i = beat.preamble;
    model_.m_tready_i = ready ? 1 : 0;
    model_.eval();
  }
  void edge() override {
    clock(1);
    model_.eval();
  }
  [[nodiscard]] bool taken() const override { return model_.s_tready_o != 0; }
  [[nodiscard]] Beat out() const override {
    Beat beat{.valid = model_.m_tvalid_o != 0,
              .last = model_.m_tlast_o != 0,
              .first = model_.m_sof_o != 0,
              .keep = model_.m_tkeep_o,
              .data = {},
              .user = model_.m_user_o,
              .stamp = model_.m_stamp_o,
              .preamble = model_.m_preamble_o};
    std::copy_n(model_.m_tdata_o.data(), beat.data.size(), beat.data.begin());
    return beat;
  }
  void loadRule(bool load, std::uint32_t slot, const card::DamageRuleWords& rule) override {
    model_.rule_load_i = load ? 1 : 0;
    model_.rule_slot_i = static_cast<std::uint8_t>(slot);
    Packer packer(model_.rule_i);
    packer.put(rule.param, 32);
    packer.put(rule.offset, 17);
    packer.put(rule.times, 32);
    packer.put(rule.step, 32);
    packer.put(rule.last, 32);
    packer.put(rule.first, 32);
    packer.put(rule.flow, 12);
    packer.put(rule.match, 2);
    packer.put(rule.kind, 3);
  }
  void loadRandom(bool load, bool on, const card::BitErrorSetting& setting) override {
    model_.random_load_i = load ? 1 : 0;
    model_.random_on_i = on ? 1 : 0;
    Packer packer(model_.random_seed_i);
    packer.put(setting.seed[0], 64);
    packer.put(setting.seed[1], 64);
    model_.random_scale_i = setting.scale;
    model_.random_shift_i = static_cast<std::uint8_t>(setting.shift);
  }
  void clear(bool clear) override { model_.clear_i = clear ? 1 : 0; }
  void pop(bool pop) override { model_.log_pop_i = pop ? 1 : 0; }
  [[nodiscard]] bool randomReady() const override { return model_.random_ready_o != 0; }
  [[nodiscard]] bool randomLate() const override { return model_.random_late_o != 0; }
  [[nodiscard]] bool logValid() const override { return model_.log_valid_o != 0; }
  [[nodiscard]] card::DamageEvent logEvent() const override {
    Fields fields(model_.log_event_o);
    card::DamageEvent event;
    event.time = Picoseconds(static_cast<std::int64_t>(fields.take(64)));
    event.position = static_cast<std::uint32_t>(fields.take(19));
    event.number = static_cast<std::uint32_t>(fields.take(32));
    event.flow = static_cast<std::uint32_t>(fields.take(12));
    event.subject = fields.take(2) == 1 ? card::DamageMatch::kControl : card::DamageMatch::kAny;
    event.slot = static_cast<std::uint32_t>(fields.take(3));
    event.kind = static_cast<card::DamageKind>(fields.take(3));
    return event;
  }
  [[nodiscard]] std::uint32_t strikes(std::uint32_t slot) const override {
    return model_.strikes_o[slot];
  }
  void count(card::DamageCounters& counters) const override {
    const auto kind = [this](card::DamageKind k) {
      return (model_.inc_kind_o >> static_cast<unsigned>(k)) & 1U;
    };
    counters.bits += kind(card::DamageKind::kBits);
    counters.fcs += kind(card::DamageKind::kFcs);
    counters.icrc += kind(card::DamageKind::kIcrc);
    counters.truncated += kind(card::DamageKind::kTruncate);
    counters.dropped += kind(card::DamageKind::kDrop);
    counters.random_frames += model_.inc_random_o;
    counters.random_bits += model_.inc_bit_o;
    counters.frames += model_.inc_damaged_o;
    counters.log_overflow += model_.inc_overflow_o;
  }

 private:
  void clock(std::uint8_t level) {
    model_.clk_i = level;
    model_.clk_used_i = level;
  }

  VerilatedContext context_;
  Verilated model_;
};

}  // namespace

std::unique_ptr<DamageModel> makeSentModel() {
  return std::make_unique<Model<Vplumb_damage_sent>>();
}
std::unique_ptr<DamageModel> makeReceivedModel() {
  return std::make_unique<Model<Vplumb_damage_received>>();
}

}  // namespace plumbline::test
