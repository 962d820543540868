#include <array>

#include "card/damage.h"
#include "scenario/sections.h"

namespace plumbline::scenario {
namespace {

constexpr std::size_t kMaxWeights = 4096;
constexpr std::uint32_t kMaxFrames = 100'000'000;
constexpr std::uint32_t kMaxBurst = 1U << 24;
constexpr std::uint32_t kMaxEntropy = 16384;
constexpr std::size_t kMaxGaps = 4096;

using Count = std::uint32_t;

void readCount(MapReader& map, const char* key, Count min, Count max, std::optional<Count>& target,
               Problems& problems) {
  const YamlNode* value = map.optional(key);
  if (value == nullptr) return;
  if (const auto count = readInteger(*value, min, max, problems)) {
    target = static_cast<Count>(*count);
  }
}

template <std::size_t N>
void readWords(MapReader& map, const char* key, const std::array<const char*, N>& known,
               std::optional<std::vector<std::string>>& target, Problems& problems) {
  const YamlNode* value = map.optional(key);
  if (value == nullptr) return;
  const std::vector<std::string> words(known.begin(), known.end());
  target = readList(*value, words.size(), problems,
                    [&](const YamlNode& item) -> std::optional<std::string> {
                      const auto word = readWord(item, words, problems);
                      return word ? std::optional(words[*word]) : std::nullopt;
                    });
}

void readRatios(const YamlNode& node, std::optional<std::vector<double>>& target,
                Problems& problems) {
  const std::string range = "1e-15 to 1e-3";
  target = readList(node, kMaxListed, problems, [&](const YamlNode& item) -> std::optional<double> {
    const auto ratio = readProbability(item, range, problems);
    if (!ratio) return std::nullopt;
    if (*ratio < card::kMinBitErrorRatio || *ratio > card::kMaxBitErrorRatio) {
      problems.add(item, "\"" + item.text + "\" is out of range", range);
      return std::nullopt;
    }
    return ratio;
  });
}

// Unlike the values of a sweep, weights may be equal.
void readWeights(const YamlNode& node, std::optional<std::vector<Count>>& target,
                 Problems& problems) {
  if (node.kind != YamlNode::Kind::kSequence || node.items.empty() ||
      node.items.size() > kMaxWeights) {
    problems.add(node, "weights are a list", "1 to 4096 of them, such as [3, 1]");
    return;
  }
  std::vector<Count> weights;
  for (const YamlNode& item : node.items) {
    if (const auto weight = readInteger(item, 1, kMaxWeights, problems)) {
      weights.push_back(static_cast<Count>(*weight));
    }
  }
  if (weights.size() == node.items.size()) target = std::move(weights);
}

}  // namespace

void readCardParameters(MapReader& map, Scenario& scenario, Problems& problems) {
  CardParameters& card = scenario.parameters.card;
  readWords(map, "damage", kDamageWords, card.damage, problems);
  if (const YamlNode* value = map.optional("error_ratios")) {
    readRatios(*value, card.error_ratios, problems);
  }
  readCount(map, "damage_every", 1, 1'000'000, card.damage_every, problems);
  if (const YamlNode* value = map.optional("quanta")) {
    card.quanta = readList(*value, kMaxListed, problems, [&](const YamlNode& item) {
      const auto quanta = readInteger(item, 1, 65'535, problems);
      return quanta ? std::optional(static_cast<Count>(*quanta)) : std::nullopt;
    });
  }
  readCount(map, "storm_frames", 1, kMaxFrames, card.storm_frames, problems);
  if (const YamlNode* value = map.optional("stagger")) {
    card.stagger = readList(*value, kMaxListed, problems, [&](const YamlNode& item) {
      return readDuration(item, Picoseconds(0), milliseconds(1), "0ns to 1ms", problems);
    });
  }
  readCount(map, "burst_frames", 1, kMaxBurst, card.burst_frames, problems);
  readCount(map, "bursts", 1, kMaxBurst, card.bursts, problems);
  if (const YamlNode* value = map.optional("background")) {
    card.background =
        readShare(*value, Fraction::percent(1), Fraction::percent(100), "1% to 100%", problems);
  }
  if (const YamlNode* value = map.optional("background_gaps")) {
    card.background_gaps = readList(*value, kMaxGaps, problems, [&](const YamlNode& item) {
      return readDuration(item, nanoseconds(1), milliseconds(1), "1ns to 1ms", problems);
    });
  }
  readWords(map, "entropy", kEntropyWords, card.entropy, problems);
  readCount(map, "entropy_values", 1, kMaxEntropy, card.entropy_values, problems);
  if (const YamlNode* value = map.optional("weights")) readWeights(*value, card.weights, problems);
  readCount(map, "message_frames", 1, 65'535, card.message_frames, problems);
}

}  // namespace plumbline::scenario
