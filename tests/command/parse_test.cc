#include "command/parse.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/error.h"
#include "tests/command/sample_program.h"

namespace plumbline::command {
namespace {

bool parsed(SampleProgram& program, std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "sample");
  return parse(program.app, static_cast<int>(arguments.size()), arguments.data());
}

std::string refusal(const std::vector<const char*>& arguments) {
  SampleProgram program;
  try {
    parsed(program, arguments);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "nothing was refused";
}

TEST(Parse, TakesWhatIsRight) {
  SampleProgram program;
  EXPECT_TRUE(parsed(program, {"run", "a.yaml", "-j", "4", "--quiet"}));
  EXPECT_EQ(program.scenario, "a.yaml");
  EXPECT_EQ(program.jobs, 4u);
  EXPECT_TRUE(program.quiet);
}

TEST(Parse, UnknownVerbsNameTheOneThatWasMeant) {
  EXPECT_EQ(refusal({"reuslts", "show"}),
            "sample: unknown verb \"reuslts\" (did you mean \"results\"? one of run, results)");
  EXPECT_EQ(refusal({"towels"}), "sample: unknown verb \"towels\" (one of run, results)");
  EXPECT_EQ(refusal({"results", "shwo"}),
            "sample results: unknown verb \"shwo\" (did you mean \"show\"? one of show, diff)");
}

TEST(Parse, UnknownOptionsNameTheOneThatWasMeant) {
  EXPECT_EQ(refusal({"run", "a.yaml", "--formt=csv"}),
            "sample run: unknown option \"--formt\" (did you mean \"--format\"?)");
  EXPECT_EQ(refusal({"run", "--quite", "a.yaml"}),
            "sample run: unknown option \"--quite\" (did you mean \"--quiet\"?)");
  EXPECT_EQ(refusal({"run", "a.yaml", "--frobnicate"}),
            "sample run: unknown option \"--frobnicate\" (see sample run --help)");
  // An option of the program is not one of its verb's.
  EXPECT_EQ(refusal({"--quiet", "run", "a.yaml"}),
            "sample: unknown option \"--quiet\" (see sample --help)");
}

TEST(Parse, WhatIsMissingOrWrong) {
  EXPECT_EQ(refusal({}), "sample: a verb is missing (one of run, results)");
  EXPECT_EQ(refusal({"results"}), "sample results: a verb is missing (one of show, diff)");
  EXPECT_EQ(refusal({"run"}), "sample run: scenario is required (see sample run --help)");
  EXPECT_EQ(refusal({"run", "a.yaml", "b.yaml"}),
            "sample run: unexpected argument \"b.yaml\" (see sample run --help)");
  EXPECT_NE(refusal({"run", "a.yaml", "--format", "xml"}).find("--format"), std::string::npos);
}

// As `--report "$UNSET"` gives it.
TEST(Parse, EmptyValuesAreRefused) {
  EXPECT_EQ(refusal({"run", "a.yaml", "--report", ""}),
            "sample run: --report has an empty value (see sample run --help)");
  EXPECT_EQ(refusal({"run", ""}),
            "sample run: scenario has an empty value (see sample run --help)");
}

TEST(Parse, HelpIsNothingToDo) {
  SampleProgram program;
  testing::internal::CaptureStdout();
  EXPECT_FALSE(parsed(program, {"run", "--help"}));
  EXPECT_NE(testing::internal::GetCapturedStdout().find("Run a scenario's tests"),
            std::string::npos);
}

}  // namespace
}  // namespace plumbline::command
