#include "control/port_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/refused.h"

namespace plumbline::control {
namespace {

using testing::HasSubstr;

PortState port(const std::string& name) {
  PortState port;
  port.name = name;
  port.bench = "rtl";
  return port;
}

// Status and words of a refusal; 0 when there was none.
template <typename Action>
Refusal refusalOf(Action action) {
  try {
    action();
  } catch (const Refused& refused) {
    return refused.refusal();
  }
  return {};
}

class PortTableTest : public testing::Test {
 protected:
  std::string stateOf(const std::string& name) {
    for (const PortState& port : table_.list()) {
      if (port.name == name) return port.state;
    }
    return "none";
  }

  PortTable::Clock::time_point now_{std::chrono::seconds(1'000)};
  PortTable table_{{port("rtl/0"), port("rtl/1"), port("sim")}, [this] { return now_; }};
};

TEST_F(PortTableTest, ARunHasItsPortsUntilItEnds) {
  table_.claim(7, {"rtl/0", "rtl/1"}, "ann", std::nullopt);
  EXPECT_EQ(stateOf("rtl/0"), "running");
  EXPECT_EQ(stateOf("sim"), "free");
  EXPECT_EQ(table_.list()[0].run, 7);
  EXPECT_EQ(table_.list()[0].owner, "ann");
  const Refusal refusal = refusalOf([&] { table_.claim(8, {"sim", "rtl/1"}, "ben", {}); });
  EXPECT_EQ(refusal.status, 409);
  EXPECT_EQ(refusal.what, "run 7 has port rtl/1");
  EXPECT_EQ(stateOf("sim"), "free");  // all or nothing
  table_.claim(9, {"sim"}, "ben", {});
  table_.free(7);
  EXPECT_EQ(stateOf("rtl/1"), "free");
  EXPECT_EQ(table_.list()[0].owner, "");
  EXPECT_EQ(stateOf("sim"), "running");
}

TEST_F(PortTableTest, AnOwnersNameIsShortAndPlain) {
  for (const std::string& owner :
       {std::string("\x1b[31mann"), std::string(100'000, 'a'), std::string("ann\n"),
        std::string("\xe2\x80\xae"
                    "nna")}) {
    EXPECT_EQ(refusalOf([&] { table_.reserve({{"rtl/0"}, owner, 60}); }).status, 400);
    EXPECT_EQ(refusalOf([&] { table_.claim(1, {"rtl/0"}, owner, {}); }).status, 400);
  }
  table_.reserve({{"rtl/0"}, "Ann Müller", 60});
}

TEST_F(PortTableTest, AReservationKeepsOthersOut) {
  const Reservation reservation = table_.reserve({{"rtl/0"}, "ann", 60});
  EXPECT_EQ(reservation.expires_ms, 1'060'000);
  EXPECT_EQ(stateOf("rtl/0"), "reserved");
  EXPECT_EQ(refusalOf([&] { table_.reserve({{"rtl/0"}, "ben", 60}); }).status, 409);
  const Refusal refusal = refusalOf([&] { table_.claim(1, {"rtl/0"}, "ben", std::nullopt); });
  EXPECT_EQ(refusal.status, 409);
  EXPECT_THAT(refusal.what, HasSubstr("\"ann\" has reserved port rtl/0"));
  EXPECT_EQ(refusalOf([&] { table_.claim(1, {"rtl/0"}, "ben", "0123"); }).status, 404);
  table_.claim(1, {"rtl/0", "rtl/1"}, "ann", reservation.id);
  EXPECT_EQ(refusalOf([&] { table_.reserve({{"rtl/1"}, "ben", 60}); }).status, 409);
  table_.release(reservation.id);
  EXPECT_EQ(stateOf("rtl/0"), "running");  // the run goes on
  EXPECT_EQ(refusalOf([&] { table_.release(reservation.id); }).status, 404);
}

TEST_F(PortTableTest, AReservationLapses) {
  const Reservation reservation = table_.reserve({{"sim"}, "ann", 60});
  now_ += std::chrono::seconds(59);
  EXPECT_EQ(stateOf("sim"), "reserved");
  now_ += std::chrono::seconds(1);
  EXPECT_EQ(stateOf("sim"), "free");
  EXPECT_EQ(refusalOf([&] { table_.claim(1, {"sim"}, "ann", reservation.id); }).status, 404);
  EXPECT_EQ(stateOf("sim"), "free");
}

TEST_F(PortTableTest, RefusesWhatMakesNoSense) {
  const Refusal twice = refusalOf([&] { table_.reserve({{"rtl/0", "sim", "rtl/0"}, "ann", 60}); });
  EXPECT_EQ(twice.status, 400);
  EXPECT_EQ(twice.what, "port rtl/0 is named twice");
  EXPECT_EQ(stateOf("rtl/0"), "free");
  EXPECT_EQ(refusalOf([&] { table_.reserve({{}, "ann", 60}); }).status, 400);
  EXPECT_EQ(refusalOf([&] { table_.reserve({{"rtl/9"}, "ann", 60}); }).status, 404);
  for (const std::int64_t time :
       {std::int64_t{0}, std::int64_t{-1}, std::int64_t{86'401}, INT64_MAX}) {
    EXPECT_EQ(refusalOf([&] { table_.reserve({{"sim"}, "ann", time}); }).status, 400) << time;
  }
  EXPECT_EQ(stateOf("sim"), "free");
}

TEST(PortTable, APortWithoutItsDeviceIsNotFree) {
  bool plugged = false;
  PortTable table({port("sim"), port("verbs")}, {},
                  [&](const PortState& one) { return one.name != "verbs" || plugged; });
  EXPECT_EQ(table.list()[0].state, "free");
  EXPECT_EQ(table.list()[1].state, "absent");
  plugged = true;
  EXPECT_EQ(table.list()[1].state, "free");
  table.claim(7, {"verbs"}, "ann", std::nullopt);
  plugged = false;
  EXPECT_EQ(table.list()[1].state, "running");  // its run will find out
}

TEST(RandomIdentifier, IsLongAndNeverTheSame) {
  EXPECT_EQ(randomIdentifier().size(), 32u);
  EXPECT_NE(randomIdentifier(), randomIdentifier());
}

}  // namespace
}  // namespace plumbline::control
