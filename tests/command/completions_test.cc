// Runs the completion scripts in the installed shells; tests/packaging checks their syntax.
#include "command/completions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "tests/command/sample_program.h"
#include "tests/results/temp_directory.h"

namespace plumbline::command {
namespace {

using testing::HasSubstr;
using testing::Not;

CommandHelp sample() {
  CommandHelp help = helpOf(SampleProgram().app);
  addChoices(help, "scenario", {"quickstart", "latency"});
  return help;
}

std::string outputOf(const std::string& command) {
  std::string text;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  char part[256];
  for (std::size_t read = 0; (read = std::fread(part, 1, sizeof part, pipe)) > 0;) {
    text.append(part, read);
  }
  ::pclose(pipe);
  return text;
}

class BashCompletion : public testing::Test {
 protected:
  // Completions of bash for the last of `words`, including files of an empty directory.
  std::string offered(const std::string& words, int index) {
    const auto file = scratch_.path() / "sample";
    std::ofstream(file) << bashCompletion(sample());
    return outputOf("cd " + empty() + " && bash -c 'source " + file.string() + "; COMP_WORDS=(" +
                    words + "); COMP_CWORD=" + std::to_string(index) +
                    "; _sample; echo \"${COMPREPLY[*]}\"' 2>&1");
  }
  std::string empty() {
    std::filesystem::create_directories(scratch_.path() / "empty");
    return (scratch_.path() / "empty").string();
  }

  TempDirectory scratch_;
};

TEST_F(BashCompletion, VerbsOptionsAndWords) {
  EXPECT_EQ(offered("sample r", 1), "run results\n");
  EXPECT_EQ(offered("sample results \"\"", 2), "show diff\n");
  EXPECT_EQ(offered("sample run --q", 2), "--quiet\n");
  EXPECT_EQ(offered("sample run l", 2), "latency\n");
  EXPECT_EQ(offered("sample run --format \"\"", 3), "json csv\n");
  EXPECT_EQ(offered("sample results show --", 3), "--help\n");
}

TEST_F(BashCompletion, FilesWhereOneMayStand) {
  std::ofstream(empty() + "/latency of mine.yaml") << "x";
  EXPECT_EQ(offered("sample run lat", 2), "latency latency of mine.yaml\n");
  EXPECT_EQ(offered("sample run --report l", 3), "latency of mine.yaml\n");
  EXPECT_EQ(offered("sample run --jobs l", 3), "\n");    // a number
  EXPECT_EQ(offered("sample run --format l", 3), "\n");  // json or csv
}

TEST(ZshCompletion, EscapesWhatZshWouldRead) {
  const std::string script = zshCompletion(sample());
  EXPECT_THAT(script, testing::StartsWith("#compdef sample\n"));
  EXPECT_THAT(script, HasSubstr("'--report[Directory \\[new\\]\\: it'\\''s for it]:TEXT:_files'"));
  EXPECT_THAT(script, HasSubstr("'(-j --jobs)'{-j,--jobs}'[How many at a time]:UINT: '"));
  EXPECT_THAT(script, HasSubstr("'--format[Of the output]:TEXT:(json csv)'"));
  EXPECT_THAT(script, HasSubstr("'run:Run a scenario'\\''s tests'"));
  EXPECT_THAT(script, Not(HasSubstr("secret")));
}

TEST(FishCompletion, EachLineSaysWhenItHolds) {
  const std::string script = fishCompletion(sample());
  EXPECT_THAT(script,
              HasSubstr("complete -c sample -n 'not __fish_seen_subcommand_from run results'"
                        " -a run -d 'Run a scenario\\'s tests'\n"));
  EXPECT_THAT(script, HasSubstr("complete -c sample -n '__fish_seen_subcommand_from run' -l format"
                                " -x -a 'json csv' -d 'Of the output'\n"));
  EXPECT_THAT(script, HasSubstr("complete -c sample -n '__fish_seen_subcommand_from run' -s j"
                                " -l jobs -x -d 'How many at a time'\n"));
  EXPECT_THAT(script, HasSubstr("-n '__fish_seen_subcommand_from results; and not "
                                "__fish_seen_subcommand_from show diff' -a diff"));
}

}  // namespace
}  // namespace plumbline::command
