// `fpga:` the cards of the bench on tester cards in this host.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/parse.h"
#include "tests/scenario/messages.h"

namespace plumbline::scenario {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ParseResult parseCards(const std::string& rest, const std::string& file = "s") {
  const Vocabulary words{{"T5.1"}, {"rtl", "fpga"}, {}, {}};
  return parseScenario(
      "plumbline: 1\nname: n\ntest: T5.1\nbench: fpga\ndut: {topology: {kind: link}}\n" + rest,
      file, words);
}

TEST(FpgaSection, IsReadWhole) {
  const ParseResult result = parseCards(
      "fpga: {xclbin: /opt/plumbline.xclbin, devices: [\"0000:3b:00.1\", 12], tx_delay: 131.5ns, "
      "rx_delay: 1us, fec: rs}\n");
  ASSERT_TRUE(result.ok()) << result.problems[0].text("s");
  bench::FpgaSpec expected;
  expected.xclbin = "/opt/plumbline.xclbin";
  expected.devices = {"0000:3b:00.1", "12"};
  expected.tx_delay = Picoseconds(131'500);
  expected.rx_delay = microseconds(1);
  expected.fec = card::MacFec::kOn;
  EXPECT_EQ(result.scenario.fpga, expected);
  EXPECT_EQ(result.scenario.bench, "fpga");
}

TEST(FpgaSection, IsTheFirstDeviceWithoutACalibrationUnlessItSaysMore) {
  EXPECT_FALSE(parseCards("").scenario.fpga);
  const auto spec = parseCards("fpga: {xclbin: /x}\n").scenario.fpga;
  ASSERT_TRUE(spec);
  EXPECT_THAT(spec->devices, ElementsAre("0"));
  EXPECT_FALSE(spec->tx_delay);
  EXPECT_FALSE(spec->rx_delay);
  EXPECT_EQ(spec->fec, card::MacFec::kEither);
}

TEST(FpgaSection, AFileWithoutAFolderIsBesideTheScenario) {
  EXPECT_EQ(parseCards("fpga: {xclbin: card.xclbin}\n", "lab/one.yaml").scenario.fpga->xclbin,
            "lab/card.xclbin");
  EXPECT_EQ(parseCards("fpga: {xclbin: card.xclbin}\n", "one.yaml").scenario.fpga->xclbin,
            "card.xclbin");
}

TEST(FpgaSection, ReportsEveryMistakeWhereItIs) {
  EXPECT_THAT(messages(parseCards("fpga: {devices: 0}\n")),
              ElementsAre(HasSubstr("\"xclbin\" is missing")));
  EXPECT_THAT(
      messages(parseCards(
          "fpga: {xclbin: x, devices: [first, \"3b:00.1\", \"0000:3b:00:1\", -1, 1000]}\n")),
      ElementsAre(HasSubstr("s:6:29: \"first\" is no device (a number (0), or a PCIe address"),
                  HasSubstr("\"3b:00.1\" is no device"), HasSubstr("\"0000:3b:00:1\" is no device"),
                  HasSubstr("\"-1\" is no device"), HasSubstr("\"1000\" is no device")));
  EXPECT_THAT(messages(parseCards("fpga: {xclbin: x, devices: [0, 0]}\n")), testing::SizeIs(1));
  EXPECT_THAT(messages(parseCards("fpga: {xclbin: x, tx_delay: 1ms}\n")),
              ElementsAre(HasSubstr("10us")));
  EXPECT_THAT(messages(parseCards("fpga: {xclbin: x, ports: 2}\n")),
              ElementsAre(HasSubstr("ports")));
}

}  // namespace
}  // namespace plumbline::scenario
