// Names that a scenario from the network may use.
#include "scenario/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "scenario/named_paths.h"
#include "scenario/parse.h"
#include "tests/results/temp_directory.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

Vocabulary words() {
  Vocabulary words = testVocabulary();
  words.tests.emplace_back("T12.1");
  words.on_hosts.emplace_back("T12.1");
  for (const char* bench : {"sim", "libfabric", "fpga"}) words.benches.emplace_back(bench);
  return words;
}

class AccessTest : public testing::Test {
 protected:
  AccessTest() {
    fs::create_directories(folder_.path() / "files");
    write("secret", "secret\n");
    write("files/t.csv", "time,from,to,size\n0,0,1,64\n");
    fs::create_symlink("../secret", folder_.path() / "files" / "link");
    access_.origin = Origin::kNetwork;
    access_.files = (folder_.path() / "files").string();
    access_.peers = {{"198.18.0.1", 7300}};
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
  }
  // All problems of a scenario with this section, one a line.
  std::string problems(const std::string& section, const std::string& head) {
    const std::string text = "plumbline: 1\nname: n\n" + head +
                             "\ndut: {topology: {kind: switch, hosts: 2}}\n" + section + "\n";
    std::string all;
    for (const Problem& one : parseScenario(text, "sent.yaml", words(), access_).problems) {
      all += one.text("") + "\n";
    }
    return all;
  }
  std::string ofFile(const std::string& name) {
    return problems("dut_metrics: {file: " + name + "}", "test: T12.1");
  }
  std::string ofEndpoint(const std::string& keys) {
    return problems("endpoint: {" + keys + "}", "test: T5.1\nbench: libfabric");
  }

  TempDirectory folder_;
  Access access_;
};

TEST_F(AccessTest, FilesBelowTheDirectoryMayBeNamed) {
  EXPECT_EQ(ofFile("t.csv"), "");
  EXPECT_EQ(ofFile("not-there-yet.csv"), "");
}

TEST_F(AccessTest, NothingElseMay) {
  for (const char* name : {"../secret", "/etc/hostname", "link", "./../files/../secret"}) {
    EXPECT_THAT(ofFile(name), HasSubstr("cannot be used")) << name;
    EXPECT_THAT(ofEndpoint("token_file: " + std::string(name)), HasSubstr("cannot be used"));
    EXPECT_THAT(problems("fpga: {xclbin: " + std::string(name) + "}", "test: T5.1\nbench: fpga"),
                HasSubstr("cannot be used"))
        << name;
  }
  access_.files.clear();
  EXPECT_THAT(ofFile("t.csv"), HasSubstr("this server has no files for scenarios"));
}

TEST_F(AccessTest, NoProgramIsStarted) {
  EXPECT_THAT(problems("dut_metrics: {command: [cat, /etc/passwd]}", "test: T12.1"),
              HasSubstr("a scenario that is sent to a server starts no program"));
  access_ = {};
  EXPECT_EQ(problems("dut_metrics: {command: [true]}", "test: T12.1"), "");
}

TEST_F(AccessTest, OnlyPeersOnTheListAreConnectedTo) {
  EXPECT_EQ(ofEndpoint("peer: 198.18.0.1, peer_port: 7300"), "");
  for (const char* keys :
       {"peer: 198.18.0.1", "peer: 198.18.0.1, peer_port: 22", "peer: 127.0.0.1, peer_port: 7300",
        "peers: {198.18.0.9: 198.18.0.2}, peer_port: 7300"}) {
    EXPECT_THAT(ofEndpoint(keys), HasSubstr("this server does not connect to")) << keys;
  }
  access_ = {};
  EXPECT_EQ(ofEndpoint("peer: 198.18.0.7"), "");
}

TEST_F(AccessTest, PlacesOfPeersAreRead) {
  const PeerPlace v4{"198.18.0.1", 7300};
  EXPECT_EQ(Access::peerFromText("198.18.0.1:7300"), v4);
  EXPECT_EQ(Access::peerFromText("198.18.0.1")->port, bench::EndpointSpec::kDefaultPeerPort);
  EXPECT_EQ(Access::peerFromText("[2001:db8::1]:9")->address, "2001:db8::1");
  EXPECT_EQ(Access::peerFromText("2001:db8::1")->address, "2001:db8::1");
  for (const char* bad :
       {"", "host", "198.18.0.1:0", "198.18.0.1:65536", "[::1", "[::1]9", "1:2"}) {
    EXPECT_FALSE(Access::peerFromText(bad)) << bad;
  }
}

TEST(NamedPaths, AreOfEveryKeyThatNamesAFile) {
  Scenario scenario;
  scenario.file = "there/s.yaml";
  scenario.files = {{"t.csv", 1, 1}};
  scenario.fpga.emplace().xclbin = "/x/card.xclbin";
  scenario.endpoint.emplace().token_file = "there/token";
  scenario.dut_metrics = DutMetricsSource{{"./poll", "fast"}, ""};
  EXPECT_THAT(namedPaths(scenario),
              ElementsAre("there/t.csv", "/x/card.xclbin", "there/token", "./poll"));
  Scenario other;
  other.file = "s.yaml";
  other.dut_metrics = DutMetricsSource{{}, "m.csv"};
  EXPECT_THAT(namedPaths(other), ElementsAre("m.csv"));
  other.dut_metrics = DutMetricsSource{{"poll"}, ""};  // found by PATH
  EXPECT_TRUE(namedPaths(other).empty());
}

}  // namespace
}  // namespace plumbline::scenario
