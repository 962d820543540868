// Keys of the tests of the card itself: their values, and every mistake with its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/parse.h"
#include "tests/scenario/messages.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

using testing::ElementsAre;

// `rest` begins on line 5.
ParseResult parseOnLink(const std::string& rest) {
  return parseScenario("plumbline: 1\nname: n\ntest: T5.2\ndut: {topology: {kind: link}}\n" + rest,
                       "s", testVocabulary());
}

TEST(CardParameters, AreReadAsWritten) {
  const ParseResult result = parseOnLink(R"(parameters:
  damage: [bit, arrival-drop]
  error_ratios: [1e-15, 0.001]
  damage_every: 7
  quanta: [1, 65535]
  storm_frames: 1000000
  stagger: [0ns, 2.5ns]
  burst_frames: 3
  bursts: 4
  background: 12.5%
  background_gaps: [200ns, 1.5us]
  entropy: [random, per-qp]
  entropy_values: 16384
  weights: [3, 1, 1]
  message_frames: 5
)");
  ASSERT_TRUE(result.ok()) << result.problems.front().text("s");
  const CardParameters& card = result.scenario.parameters.card;
  EXPECT_THAT(*card.damage, ElementsAre("bit", "arrival-drop"));
  EXPECT_THAT(*card.error_ratios, ElementsAre(1e-15, 1e-3));
  EXPECT_EQ(card.damage_every, 7U);
  EXPECT_THAT(*card.quanta, ElementsAre(1U, 65535U));
  EXPECT_EQ(card.storm_frames, 1'000'000U);
  EXPECT_THAT(*card.stagger, ElementsAre(Picoseconds(0), Picoseconds(2500)));
  EXPECT_EQ(card.burst_frames, 3U);
  EXPECT_EQ(card.bursts, 4U);
  EXPECT_EQ(card.background, Fraction::partsPerTrillion(125'000'000'000));
  EXPECT_THAT(*card.background_gaps, ElementsAre(nanoseconds(200), nanoseconds(1500)));
  EXPECT_THAT(*card.entropy, ElementsAre("random", "per-qp"));
  EXPECT_EQ(card.entropy_values, 16384U);
  EXPECT_THAT(*card.weights, ElementsAre(3U, 1U, 1U));
  EXPECT_EQ(card.message_frames, 5U);
}

TEST(CardParameters, AreLeftToTheTestWhenAbsent) {
  EXPECT_EQ(parseOnLink("seed: 1\n").scenario.parameters.card, CardParameters{});
}

TEST(CardParameters, MistakesHaveTheirPlace) {
  EXPECT_THAT(
      messages(parseOnLink(R"(parameters:
  damage: [bit, flip]
  error_ratios: [1e-2, 1e-6]
  damage_every: 0
  quanta: 65536
  storm_frames: many
  stagger: 2ms
  bursts: 0
  entropy: fixd
  entropy_values: 16385
  weights: [1, 0, 5000]
  message_frames: 65536
)")),
      ElementsAre(
          "s:6:17: \"flip\" is not known here (one of bit, bits, fcs, icrc, cut, runt, drop, "
          "oversize, pfc-bit, pfc-drop, arrival-bit, arrival-cut, arrival-drop)",
          "s:7:18: \"1e-2\" is out of range (1e-15 to 0.001)",
          "s:8:17: \"0\" is out of range (1 to 1000000)",
          "s:9:11: \"65536\" is out of range (1 to 65535)",
          "s:10:17: \"many\": this is not a plain integer (1 to 100000000)",
          "s:11:12: \"2ms\" is out of range (0ns to 1ms)",
          "s:12:11: \"0\" is out of range (1 to 16777216)",
          "s:13:12: \"fixd\" is not known here (did you mean \"fixed\"?)",
          "s:14:19: \"16385\" is out of range (1 to 16384)",
          "s:15:16: \"0\" is out of range (1 to 4096)",
          "s:15:19: \"5000\" is out of range (1 to 4096)",
          "s:16:19: \"65536\" is out of range (1 to 65535)"));
  EXPECT_THAT(
      messages(parseOnLink("parameters: {weights: 3}\n")),
      ElementsAre("s:5:23: \"weights\" must be a list (1 to 4096 values, which may be equal)"));
}

TEST(UetTraffic, HasContextsWhereTheServiceHas) {
  EXPECT_TRUE(parseOnLink("traffic: {transport: uet-rod, qps: 4096, frame_sizes: 128B}\n").ok());
  EXPECT_THAT(messages(parseOnLink("traffic: {transport: uet-uud, qps: 2}\n")),
              ElementsAre("s:5:36: RUDI and UUD have no packet delivery contexts (uet-rud or "
                          "uet-rod)"));
  EXPECT_THAT(messages(parseOnLink("traffic: {transport: uet-rud, message_sizes: 64B}\n")),
              ElementsAre("s:5:46: sizes of UET frames are those of the frame (frame_sizes, or a "
                          "rocev2 transport)"));
}

}  // namespace
}  // namespace plumbline::scenario
