#include "base/log_lines.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>

namespace plumbline {
namespace {

using testing::HasSubstr;

class LogLinesTest : public testing::Test {
 protected:
  LogLinesTest() {
    std::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC), 0);
    // Of two pages.
    ::fcntl(ends_[1], F_SETPIPE_SZ, 8192);
  }
  ~LogLinesTest() override {
    closeReader();
    ::close(ends_[1]);
  }
  void closeReader() {
    if (ends_[0] >= 0) ::close(ends_[0]);
    ends_[0] = -1;
  }
  // The present contents.
  std::string read() const {
    std::array<char, 65536> bytes{};
    ::fcntl(ends_[0], F_SETFL, O_NONBLOCK);
    const ssize_t count = ::read(ends_[0], bytes.data(), bytes.size());
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
  }

  std::array<int, 2> ends_{-1, -1};
};

TEST_F(LogLinesTest, WritesLines) {
  LogLines log(ends_[1]);
  log.write("one");
  log.write("tw\x1b[0mo\nthree");
  EXPECT_EQ(read(), "one\ntw\\x1b[0mo\\x0athree\n");
}

// More than the pipe's capacity: this test ends at all, and the log has the number of dropped
// lines.
TEST_F(LogLinesTest, DropsWhatNobodyReads) {
  LogLines log(ends_[1]);
  for (int i = 0; i < 1000; ++i) log.write(std::string(300, 'x'));
  const std::string kept = read();
  const auto lines = std::count(kept.begin(), kept.end(), '\n');
  EXPECT_GT(lines, 0);
  EXPECT_LT(lines, 1000);
  log.write("again");
  EXPECT_EQ(read(),
            std::to_string(1000 - lines) + " lines before this one could not be written\nagain\n");
}

TEST_F(LogLinesTest, GoesOnWithoutAReader) {
  LogLines log(ends_[1]);
  closeReader();
  for (int i = 0; i < 3; ++i) log.write("nobody");
}

// Marks that combine have no columns.
TEST_F(LogLinesTest, BoundsALineInBytes) {
  LogLines log(ends_[1]);
  std::string marks;
  for (int i = 0; i < 100'000; ++i) marks += "\u0301";
  log.write(marks);
  log.write(std::string(100'000, '\x01'));
  const std::string text = read();
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = text.find('\n', begin);
    ASSERT_NE(end, std::string::npos);
    EXPECT_LE(end - begin, LogLines::kLongest);
  }
}

}  // namespace
}  // namespace plumbline
