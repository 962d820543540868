#include "workload/expert_matrix.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace plumbline::workload {
namespace {

constexpr MatrixRules kMatrixRules{2, 3, 10, 2};

std::string matrixMistake(std::string_view text, const MatrixRules& rules = kMatrixRules) {
  const auto parsed = parseExpertMatrix(text, rules);
  const auto* error = std::get_if<TraceError>(&parsed);
  if (error == nullptr) return "none";
  return std::to_string(error->line) + ":" + std::to_string(error->column) + ": " + error->what;
}

TEST(ExpertMatrix, IsReadLineByLine) {
  const auto parsed =
      parseExpertMatrix("# rank by rank\n 1, 2,\"3\"\n\n10,10,0  # full\n", kMatrixRules);
  ASSERT_TRUE(std::holds_alternative<std::vector<std::uint32_t>>(parsed));
  EXPECT_EQ(std::get<std::vector<std::uint32_t>>(parsed),
            (std::vector<std::uint32_t>{1, 2, 3, 10, 10, 0}));
}

TEST(ExpertMatrix, MistakesHaveTheirPlaces) {
  EXPECT_EQ(matrixMistake("1,2,3\n1,x,3\n"),
            "2:3: a decimal number of tokens is needed here, 0 to 10");
  EXPECT_EQ(matrixMistake("1,2,3\n1,-2,3\n"),
            "2:3: a decimal number of tokens is needed here, 0 to 10");
  EXPECT_EQ(matrixMistake("1,2,11\n1,2,3\n"),
            "1:5: a decimal number of tokens is needed here, 0 to 10");
  EXPECT_EQ(matrixMistake("1,2\n1,2,3\n"), "1:4: 2 fields, of 3 experts");
  EXPECT_EQ(matrixMistake("1,2,3,4\n1,2,3\n"), "1:7: more fields than 3 experts");
  EXPECT_EQ(matrixMistake("10,10,1\n1,2,3\n"), "1:7: more selections than tokens x top_k = 20");
  EXPECT_EQ(matrixMistake("1,2,3\n"),
            "1:1: the job has 2 ranks: the file ends after 1 lines with numbers");
  EXPECT_EQ(matrixMistake(""),
            "1:1: the job has 2 ranks: the file ends after 0 lines with numbers");
  EXPECT_EQ(matrixMistake("1,2,3\n1,2,3\n1,2,3\n"),
            "3:1: the job has 2 ranks: there is a line too many");
}

TEST(ExpertMatrix, HasAnyNumberOfLinesWhereRanksAreNotKnown) {
  MatrixRules rules = kMatrixRules;
  rules.ranks = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(matrixMistake("1,2,3\n1,2,3\n1,2,3\n", rules), "none");
}

}  // namespace
}  // namespace plumbline::workload
