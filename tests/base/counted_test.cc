#include "base/counted.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(Counted, OnlyOneIsSingular) {
  EXPECT_EQ(counted(0, "flow"), "0 flows");
  EXPECT_EQ(counted(1, "flow"), "1 flow");
  EXPECT_EQ(counted(2, "flow"), "2 flows");
  EXPECT_EQ(counted(1, "anomaly"), "1 anomaly");
  EXPECT_EQ(counted(21, "anomaly"), "21 anomalies");
}

}  // namespace
}  // namespace plumbline
