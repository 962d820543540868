// plumb_damage_ctl: ordered sets that are dropped or damaged by rule, under back-pressure.
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "Vplumb_damage_ctl.h"
#include "base/random.h"
#include "card/damage.h"

namespace plumbline::test {
namespace {

using card::DamageKind;
using card::DamageMatch;
using card::DamageRule;

class CtlBench {
 public:
  CtlBench()
      : context_(std::make_unique<VerilatedContext>()),
        model_(std::make_unique<Vplumb_damage_ctl>(context_.get())) {
    model_->rst_ni = 1;
    model_->eval();
    model_->rst_ni = 0;
    clock({}, true);
    model_->rst_ni = 1;
  }
  ~CtlBench() { model_->final(); }

  void setRule(const DamageRule& rule) {
    const card::DamageRuleWords words = damageRuleWords(rule, card::DamageDirection::kSent);
    std::vector<std::pair<std::uint32_t, unsigned>> fields{
        {words.param, 32}, {words.offset, 17}, {words.times, 32},
        {words.step, 32},  {words.last, 32},   {words.first, 32},
        {words.flow, 12},  {words.match, 2},   {words.kind, 3}};
    unsigned at = 0;
    std::fill_n(model_->rule_i.data(), 7, 0U);
    for (const auto& [value, width] : fields) {
      for (unsigned i = 0; i < width; ++i, ++at) {
        model_->rule_i[at / 32] |= ((value >> i) & 1U) << (at % 32);
      }
    }
    model_->load_i = 1;
    clock({}, true);
    model_->load_i = 0;
  }

  // One clock; true if the ordered set was taken.
  bool clock(std::optional<std::uint64_t> offered, bool ready) {
    model_->clk_i = 0;
    model_->now_i = now_ += 3103;
    model_->s_valid_i = offered.has_value() ? 1 : 0;
    model_->s_data_i = offered.value_or(0);
    model_->m_ready_i = ready ? 1 : 0;
    model_->eval();
    if (model_->m_valid_o != 0 && ready) out.push_back(model_->m_data_o);
    const bool taken = offered.has_value() && model_->s_ready_o != 0;
    if (model_->event_valid_o != 0) events.push_back(model_->event_o[2] & 0x7FFFFU);
    damaged += model_->inc_damaged_o;
    dropped += model_->inc_dropped_o;
    model_->clk_i = 1;
    model_->eval();
    return taken;
  }

  [[nodiscard]] std::uint32_t strikes() const { return model_->strikes_o; }

  std::vector<std::uint64_t> out;
  std::vector<std::uint32_t> events;  // positions
  std::uint64_t damaged = 0;
  std::uint64_t dropped = 0;

 private:
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vplumb_damage_ctl> model_;
  std::uint64_t now_ = 0;
};

// A set of message type `type`, with a number inside.
std::uint64_t orderedSet(std::uint8_t type, std::uint32_t number) {
  return 0x4BU | std::uint64_t{type} << 8 | std::uint64_t{number} << 16;
}

class DamageCtl : public testing::TestWithParam<int> {};

TEST_P(DamageCtl, AsTold) {
  RandomStream random(static_cast<std::uint64_t>(GetParam()), "ordered sets");
  CtlBench bench;
  DamageRule rule{.kind = random.below(2) == 0 ? DamageKind::kDrop : DamageKind::kBits,
                  .match = DamageMatch::kOrderedSet};
  if (random.below(2) == 0) rule.message_type = 2;
  rule.first = static_cast<std::uint32_t>(random.below(10));
  if (random.below(2) == 0) rule.last = rule.first + 40;
  rule.step = static_cast<std::uint32_t>(1 + random.below(4));
  rule.times = static_cast<std::uint32_t>(random.below(2) * 7);
  rule.offset = static_cast<std::uint32_t>(random.below(64));
  rule.bits = static_cast<std::uint32_t>(1 + random.below(70));
  bench.setRule(rule);

  std::vector<std::uint64_t> expected;
  std::uint64_t struck = 0;
  std::uint32_t count = 0;
  std::uint64_t next = rule.first;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const std::uint64_t set = orderedSet(static_cast<std::uint8_t>(1 + random.below(4)), i);
    while (!bench.clock(random.below(3) == 0 ? std::nullopt : std::optional(set),
                        random.below(2) == 0)) {
    }
    std::uint64_t left = set;
    bool here = true;
    if (!rule.message_type || (set >> 8 & 0xFF) == *rule.message_type) {
      if (count >= next && count <= rule.last && (rule.times == 0 || struck < rule.times)) {
        ++struck;
        next = count + rule.step;
        here = rule.kind == DamageKind::kBits;
        for (std::uint32_t bit = rule.offset; bit < std::min(64U, rule.offset + rule.bits); ++bit) {
          left ^= std::uint64_t{1} << bit;
        }
      }
      ++count;
    }
    if (here) expected.push_back(left);
  }
  bench.clock({}, true);
  EXPECT_EQ(bench.out, expected);
  EXPECT_GT(struck, 0U);
  EXPECT_EQ(bench.strikes(), struck);
  EXPECT_EQ(bench.events.size(), struck);
  EXPECT_EQ(bench.dropped, rule.kind == DamageKind::kDrop ? struck : 0);
  EXPECT_EQ(bench.damaged, rule.kind == DamageKind::kDrop ? 0 : struck);
  for (const std::uint32_t position : bench.events) {
    EXPECT_EQ(position, rule.kind == DamageKind::kDrop ? 0 : rule.offset);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DamageCtl, testing::Range(0, 30));

// What is dropped needs nobody to take it; what is not waits.
TEST(DamageCtlHandshake, DroppedSetsDoNotWait) {
  CtlBench bench;
  EXPECT_FALSE(bench.clock(orderedSet(1, 0), false));
  bench.setRule({.kind = DamageKind::kDrop, .match = DamageMatch::kOrderedSet, .times = 1});
  EXPECT_TRUE(bench.clock(orderedSet(1, 1), false));
  EXPECT_FALSE(bench.clock(orderedSet(1, 2), false));
  EXPECT_TRUE(bench.clock(orderedSet(1, 2), true));
  EXPECT_EQ(bench.out, std::vector<std::uint64_t>{orderedSet(1, 2)});
}

}  // namespace
}  // namespace plumbline::test
