#include "cli/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace plumbline::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

// Output of a Progress of this style during `act`.
template <typename Act>
std::string written(Progress::Style style, const Act& act) {
  std::FILE* file = std::tmpfile();
  {
    Progress progress(file, style);
    act(progress);
  }
  std::rewind(file);
  std::array<char, 4096> buffer{};
  const std::size_t length = std::fread(buffer.data(), 1, buffer.size(), file);
  std::fclose(file);
  return {buffer.data(), length};
}

void threeTrials(Progress& progress) {
  progress.beginTest("T5.1", 3);
  for (int i = 0; i < 3; ++i) {
    progress.beginTrial("64 B, step " + std::to_string(i));
    progress.update(0.5);
    progress.endTrial("loss " + std::to_string(i), i == 0);
  }
  progress.endTest();
}

TEST(Progress, QuietSaysNothing) {
  EXPECT_EQ(written(Progress::Style::kQuiet, threeTrials), "");
  EXPECT_EQ(written(Progress::Style::kQuiet,
                    [](Progress& progress) {
                      progress.beginTrial("64 B");  // outside a test, as tools may
                      progress.endTrial("loss 0", false);
                    }),
            "");
}

TEST(Progress, PlainLinesAreFewAndWithoutControlCharacters) {
  const std::string text = written(Progress::Style::kLines, threeTrials);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\r")));
  // Trials within a second share a line; the last one is always shown.
  EXPECT_EQ(text,
            "T5.1  trial 3 of 3  0:00  64 B, step 2  loss 2\n"
            "T5.1: 3 trials in 0:00, 1 of them stored before\n");
}

TEST(Progress, TheLiveLineIsWrittenOverAndTheSummaryStays) {
  const std::string text = written(Progress::Style::kLive, threeTrials);
  EXPECT_THAT(text, HasSubstr("\r\x1b[KT5.1  trial 1 of 3"));
  EXPECT_THAT(text, testing::EndsWith("\r\x1b[KT5.1: 3 trials in 0:00, 1 of them stored before\n"));
}

TEST(Progress, ALiveLineDoesNotSurviveAnEarlyEnd) {
  const std::string text = written(Progress::Style::kLive, [](Progress& progress) {
    progress.beginTest("T5.1", 3);
    progress.beginTrial("64 B");
  });
  EXPECT_THAT(text, testing::EndsWith("\r\x1b[K"));
}

TEST(Progress, MoreTrialsThanPlannedStayReadable) {
  const std::string text = written(Progress::Style::kLines, [](Progress& progress) {
    progress.beginTest("T5.3", 1);
    for (int i = 0; i < 2; ++i) {
      progress.beginTrial("x");
      progress.endTrial("", false);
    }
    progress.endTest();
  });
  EXPECT_THAT(text, HasSubstr("trial 2 of 2"));
}

TEST(Progress, AFileIsNoTerminal) {
  std::FILE* file = std::tmpfile();
  EXPECT_EQ(Progress::styleFor(file, false), Progress::Style::kLines);
  EXPECT_EQ(Progress::styleFor(file, true), Progress::Style::kQuiet);
  std::fclose(file);
}

TEST(Progress, Durations) {
  using std::chrono::seconds;
  EXPECT_EQ(durationText(seconds(0)), "0:00");
  EXPECT_EQ(durationText(seconds(67)), "1:07");
  EXPECT_EQ(durationText(seconds(3599)), "59:59");
  EXPECT_EQ(durationText(seconds(86'400)), "24:00:00");
}

}  // namespace
}  // namespace plumbline::cli
