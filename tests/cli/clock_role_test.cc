// Roles of cards' clocks on the command line.
#include "cli/clock_role.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace plumbline::cli {
namespace {

TEST(ClockRole, IsReadWhole) {
  const ClockRole role = parseClockRole("1:slave:3");
  EXPECT_EQ(role.card, 1U);
  EXPECT_EQ(role.settings.role, firmware::kPtpSlave);
  EXPECT_EQ(role.settings.port, 3U);
  EXPECT_EQ(parseClockRole("0:pps").settings.role, firmware::kPtpPps);
  EXPECT_EQ(parseClockRole("0:pps").settings.port, 0U);
  for (const char* wrong : {"", "slave", "1:", "1:Slave", "1:slave:", "1:slave:0:0", "-1:off",
                            "256:off", "1:slave:x", "1 :slave", "1:slave:4294967296"}) {
    EXPECT_THROW(parseClockRole(wrong), Error) << wrong;
  }
}

TEST(ClockRole, AddressesAreOfLocalAdministrationAndDiffer) {
  const auto one = clockAddress("host", "card", 0);
  EXPECT_EQ(one[0], 0x02);  // the bit of local administration, and no group
  EXPECT_NE(one, clockAddress("host", "card", 1));
  EXPECT_NE(one, clockAddress("host", "other", 0));
  EXPECT_NE(one, clockAddress("another", "card", 0));
  EXPECT_NE(one, clockAddress("hostc", "ard", 0));
  EXPECT_EQ(one, clockAddress("host", "card", 0));
}

}  // namespace
}  // namespace plumbline::cli
