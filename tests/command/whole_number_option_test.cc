#include "command/whole_number_option.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace plumbline::command {
namespace {

struct Program {
  Program() {
    addWholeNumber(app, "--seed", seed, "A seed");
    addWholeNumber(app, "--port", port, "A port", 1);
    addWholeNumber(app, "-j,--jobs", jobs, "Jobs", 1, 64)
        ->envname("PLUMBLINE_TEST_JOBS")
        ->capture_default_str();
    addWholeNumber(app, "run", run, "A run");
  }

  // The error; empty without one.
  std::string parse(const std::vector<const char*>& arguments) {
    std::vector<const char*> all{"program"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    try {
      app.parse(static_cast<int>(all.size()), all.data());
    } catch (const CLI::ParseError& error) {
      return error.what();
    }
    return {};
  }

  CLI::App app{"A program"};
  std::uint64_t seed = 1;
  std::uint16_t port = 1;
  unsigned jobs = 2;
  std::optional<std::int64_t> run;
};

TEST(WholeNumberOption, IsDecimal) {
  Program program;
  EXPECT_EQ(program.parse({"--seed", "010", "--port=08470", "-j", "08", "0017"}), "");
  EXPECT_EQ(program.seed, 10U);
  EXPECT_EQ(program.port, 8470U);
  EXPECT_EQ(program.jobs, 8U);
  EXPECT_EQ(program.run, 17);
  Program largest;
  EXPECT_EQ(largest.parse({"--seed", "18446744073709551615", "9223372036854775807"}), "");
  EXPECT_EQ(largest.seed, 18446744073709551615U);
  EXPECT_EQ(largest.run, 9223372036854775807);
}

TEST(WholeNumberOption, RefusesTheRestWithTheReason) {
  for (const char* text : {"0x10", "1e3", "1_000", "+1", "1.0", " 1", "1 ", "0b1", "", "seven"}) {
    EXPECT_NE(Program().parse({"--seed", text}), "") << text;
  }
  EXPECT_NE(Program().parse({"--seed", "0x10"}).find("this is not a plain integer"),
            std::string::npos);
  EXPECT_NE(Program().parse({"--seed", "18446744073709551616"}).find("too large"),
            std::string::npos);
  EXPECT_NE(Program().parse({"--port", "65536"}).find("65536 is out of range (1 to 65535)"),
            std::string::npos);
  EXPECT_NE(Program().parse({"--port", "0"}).find("out of range"), std::string::npos);
  EXPECT_NE(Program().parse({"-j", "65"}).find("65 is out of range (1 to 64)"), std::string::npos);
  EXPECT_NE(Program().parse({"9223372036854775808"}).find("out of range"), std::string::npos);
}

TEST(WholeNumberOption, OfTheEnvironmentToo) {
  ::setenv("PLUMBLINE_TEST_JOBS", "010", 1);
  Program program;
  EXPECT_EQ(program.parse({}), "");
  EXPECT_EQ(program.jobs, 10U);
  ::unsetenv("PLUMBLINE_TEST_JOBS");
}

}  // namespace
}  // namespace plumbline::command
