#include "command/manual_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/command/sample_program.h"

namespace plumbline::command {
namespace {

using testing::HasSubstr;
using testing::Not;

std::vector<ManualPage> pages() { return manualPages(helpOf(SampleProgram().app), "sample 1.2"); }

TEST(ManualPages, OneOfTheProgramAndOneOfEachVerb) {
  const auto all = pages();
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].file, "sample.1");
  EXPECT_EQ(all[1].file, "sample-run.1");
  EXPECT_EQ(all[2].file, "sample-results.1");
  EXPECT_THAT(all[0].text, HasSubstr(".TH \"SAMPLE\" \"1\" \"\" \"sample 1.2\" \"\"\n"));
  EXPECT_THAT(all[0].text, HasSubstr("\\fBsample\\-run\\fR(1)\nRun a scenario's tests\n"));
}

TEST(ManualPages, OptionsSayWhatTheHelpSays) {
  const std::string text = pages()[1].text;
  EXPECT_THAT(text, HasSubstr("sample\\-run \\- Run a scenario's tests\n"));
  EXPECT_THAT(text, HasSubstr("\\fBsample run\\fR [\\fIoptions\\fR] \\fISCENARIO\\fR\n"));
  EXPECT_THAT(text, HasSubstr("\\fB\\-j\\fR, \\fB\\-\\-jobs\\fR \\fIUINT\\fR\nHow many at a time\n"
                              "(default: 2; environment: JOBS)\n"));
  EXPECT_THAT(text, HasSubstr("\\fB\\-\\-format\\fR \\fITEXT\\fR\nOf the output\n"
                              "(one of json, csv)\n"));
  EXPECT_THAT(text, HasSubstr("\\fB\\-\\-quiet\\fR\nNo progress\n"));
  EXPECT_THAT(text, Not(HasSubstr("secret")));
}

TEST(ManualPages, VerbsOfVerbsAreSections) {
  const std::string text = pages()[2].text;
  EXPECT_THAT(text, HasSubstr(".SH \"SAMPLE RESULTS SHOW\"\n"));
  EXPECT_THAT(text, HasSubstr("\\fBsample results show\\fR [\\fIoptions\\fR] [\\fIRUN\\fR]\n"));
}

TEST(ManualPages, TextIsWordForWord) {
  const auto all = pages();
  EXPECT_THAT(all[0].text, HasSubstr("\n\\&.not a request\n"));
  EXPECT_THAT(all[2].text, HasSubstr("Show one \\e all\n"));
  EXPECT_THAT(all[2].text, HasSubstr("Compare two \\[u2026]\n"));
}

}  // namespace
}  // namespace plumbline::command
