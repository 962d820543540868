#include "base/json.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace plumbline {
namespace {

using Json = nlohmann::ordered_json;

template <typename T>
T read(const std::string& text) {
  return Json::parse(text).get<T>();
}

TEST(Json, WholeNumbersComeBackAsTheyWere) {
  EXPECT_EQ(read<std::uint8_t>("255"), 255);
  EXPECT_EQ(read<std::int8_t>("-128"), -128);
  EXPECT_EQ(read<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(read<std::uint64_t>("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
  EXPECT_EQ(read<std::vector<std::uint16_t>>("[1, 2]"), (std::vector<std::uint16_t>{1, 2}));
}

// Other programs write them so.
TEST(Json, AWholeNumberMayHaveAPointOrAnExponent) {
  EXPECT_EQ(read<std::uint32_t>("5.0"), 5U);
  EXPECT_EQ(read<std::uint64_t>("1e19"), 10'000'000'000'000'000'000U);
  EXPECT_EQ(read<std::int64_t>("-9.223372036854775808e18"),
            std::numeric_limits<std::int64_t>::min());
}

TEST(Json, WhatDoesNotFitIsRefused) {
  for (const char* text :
       {"-1", "256", "255.5", "256.0", "1e115", "-1e115", "18446744073709551616"}) {
    EXPECT_THROW(read<std::uint8_t>(text), Json::out_of_range) << text;
  }
  EXPECT_THROW(read<std::int64_t>("9223372036854775808"), Json::out_of_range);
  EXPECT_THROW(read<std::int64_t>("9223372036854775808.0"), Json::out_of_range);
  EXPECT_THROW(read<std::uint64_t>("18446744073709551616.0"), Json::out_of_range);
  EXPECT_THROW(read<std::vector<std::uint16_t>>("[1, 65536]"), Json::out_of_range);
  std::uint32_t value = 7;
  EXPECT_THROW(Json::parse("4294967296").get_to(value), Json::out_of_range);
  EXPECT_EQ(value, 7U);
}

TEST(Json, WhatIsNoNumberIsRefused) {
  for (const char* text : {"true", "null", "\"5\"", "[5]"}) {
    EXPECT_THROW(read<int>(text), Json::type_error) << text;
  }
  EXPECT_TRUE(read<bool>("true"));
}

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

TEST(Json, NestingIsCountedOutsideOfStrings) {
  EXPECT_EQ(jsonDepth("1"), 0U);
  EXPECT_EQ(jsonDepth("[]"), 1U);
  EXPECT_EQ(jsonDepth(R"({"a":[1,{"b":[]}],"c":[]})"), 4U);
  EXPECT_EQ(jsonDepth(R"(["[[[[","\"[[[","\\",[]])"), 2U);
  EXPECT_EQ(jsonDepth("]]]]["), 1U);
}

TEST(Json, DeepNestingIsRefusedBeforeItIsBuilt) {
  EXPECT_NO_THROW(parseJson(nested(kMaxJsonDepth)));
  EXPECT_THROW(parseJson(nested(kMaxJsonDepth + 1)), Json::parse_error);
  EXPECT_FALSE(parseJsonOrDiscard(nested(kMaxJsonDepth)).is_discarded());
  EXPECT_TRUE(parseJsonOrDiscard(nested(200'000)).is_discarded());
  EXPECT_TRUE(parseJsonOrDiscard<Json>("[").is_discarded());
}

}  // namespace
}  // namespace plumbline
