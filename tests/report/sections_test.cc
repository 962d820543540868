// The sections that the methodology requires: identification, cabling, failures, observation
// points, UET beside RoCEv2, demands.
#include <gtest/gtest.h>

#include <algorithm>

#include "report/cabling.h"
#include "report/demands.h"
#include "report/identification.h"
#include "report/kpi_map.h"
#include "report/test_section.h"
#include "report/topology_diagram.h"
#include "report/transport_table.h"
#include "tests/report/xml.h"

namespace plumbline::report::testing {
namespace {

// Rows of the tables of a section, cell texts joined by '|'.
std::vector<std::string> rowsOf(const std::string& html) {
  std::vector<std::string> rows;
  const Element section = parseXml(html);
  for (const Element* row : section.all("tr")) {
    std::string text;
    for (const Element& cell : row->children) text += (text.empty() ? "" : "|") + cell.text;
    rows.push_back(text);
  }
  return rows;
}

TEST(Identification, EveryItemIsStatedOrSaidNotToBe) {
  const std::string html = "<section>" +
                           identificationHtml({{"vendor", "Example"},
                                               {"NOS", "XOS 4"},
                                               {"buffer_architecture", "shared, 64 MB"},
                                               {"nic-firmware", "1.2"},
                                               {"NCCL", "2.21"},
                                               {"rack", "B7"}},
                                              false) +
                           "</section>";
  EXPECT_EQ(rowsOf(html),
            (std::vector<std::string>{"Vendor|Example", "Operating system|XOS 4", "rack|B7",
                                      "Buffer architecture|shared, 64 MB", "NIC firmware|1.2",
                                      "Collective library|2.21"}));
  EXPECT_NE(html.find("Not stated: model, ASIC, firmware, port speed, buffers, optics and cables, "
                      "host configuration, NIC, host operating system, driver, BIOS settings, UET "
                      "profile, libfabric provider, link-layer options, switching bandwidth, "
                      "packet distribution, congestion control, "
                      "adaptive routing, telemetry, cluster scale.<"),
            std::string::npos)
      << html;
}

TEST(Identification, WhatIsStatedNamesTheDevice) {
  EXPECT_EQ(identificationLine({{"rack", "B7"}, {"model", "X-9"}, {"Vendor", "Example"}}),
            "Example, X-9");
  EXPECT_EQ(identificationLine({{"rack", "B7"}}), "");
}

TEST(Identification, NothingStatedIsOneLine) {
  const std::string html = identificationHtml({}, true);
  EXPECT_EQ(html.find("<table"), std::string::npos);
  EXPECT_EQ(html.find("columns"), std::string::npos);
}

TEST(Identification, ASimulatedFabricSaysSo) {
  EXPECT_NE(identificationHtml({}, true).find("The fabric is simulated."), std::string::npos);
  EXPECT_EQ(identificationHtml({}, false).find("The fabric is simulated."), std::string::npos);
}

fabric::TopologySpec clos() {
  fabric::TopologySpec topology;
  topology.kind = fabric::TopologyKind::kClos2;
  topology.leaves = 3;
  topology.spines = 2;
  topology.hosts_per_leaf = 2;
  topology.link_rate = gigabitsPerSecond(400);
  topology.host_link_delay = nanoseconds(50);
  topology.fabric_link_delay = nanoseconds(250);
  return topology;
}

TEST(Cabling, KindsAreCounted) {
  const results::Table table = cablingTable(clos());
  ASSERT_EQ(table.rows.size(), 2U);
  const auto text = [&](std::size_t row, std::size_t column) {
    return std::get<std::string>(table.rows[row][column]);
  };
  EXPECT_EQ(text(0, 0), "host");
  EXPECT_EQ(text(0, 1), "leaf");
  EXPECT_EQ(text(0, 2), "6");
  EXPECT_EQ(text(0, 4), "50 ns");
  EXPECT_EQ(text(0, 6), "host5-leaf2");
  EXPECT_EQ(text(1, 0), "leaf");
  EXPECT_EQ(text(1, 2), "6");
  EXPECT_EQ(text(1, 3), "400 Gb/s");
  EXPECT_EQ(text(1, 4), "250 ns");
}

TEST(Cabling, EveryCableIsListedOnce) {
  const std::string csv = cablingCsv(clos());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 6 + 6);
  // Host 4 is the first of leaf2; a leaf's third port goes to the first spine.
  EXPECT_NE(csv.find("\nhost4-leaf2,host4,0,leaf2,0,400,50\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\nleaf1-spine0,leaf1,2,spine0,1,400,250\n"), std::string::npos) << csv;
}

// Four switches: s1, s2 and s3 in a triangle, s4 beyond s2; four hosts.
fabric::TopologySpec graph() {
  fabric::TopologySpec topology;
  topology.kind = fabric::TopologyKind::kGraph;
  topology.graph.hosts = {"gpu0", "gpu1", "gpu2", "gpu3"};
  topology.graph.switches = {"s1", "s2", "s3", "s4"};
  topology.graph.cables = {{"gpu0", "s1", gigabitsPerSecond(100), nanoseconds(10)},
                           {"gpu1", "s1", gigabitsPerSecond(100), nanoseconds(10)},
                           {"gpu2", "s3", gigabitsPerSecond(100), nanoseconds(10)},
                           {"gpu3", "s3", gigabitsPerSecond(100), nanoseconds(20)},
                           {"s1", "s2", gigabitsPerSecond(400), nanoseconds(300)},
                           {"s2", "s3", gigabitsPerSecond(400), nanoseconds(5000)},
                           {"s1", "s3", gigabitsPerSecond(400), nanoseconds(300)},
                           {"s1", "s3", gigabitsPerSecond(400), nanoseconds(300)},
                           {"s2", "s4", gigabitsPerSecond(200), nanoseconds(300)}};
  return topology;
}

TEST(Cabling, OfAGraphNamesBothEnds) {
  const results::Table table = cablingTable(graph());
  std::vector<std::string> rows;
  for (const auto& row : table.rows) {
    std::string text;
    for (std::size_t i = 0; i < 5; ++i) text += std::get<std::string>(row[i]) + "|";
    rows.push_back(text);
  }
  EXPECT_EQ(rows,
            (std::vector<std::string>{"gpu0 to gpu1|s1|2|100 Gb/s|10 ns|",
                                      "gpu2|s3|1|100 Gb/s|10 ns|", "gpu3|s3|1|100 Gb/s|20 ns|",
                                      "s1|s2|1|400 Gb/s|300 ns|", "s2|s3|1|400 Gb/s|5,000 ns|",
                                      "s1|s3|2|400 Gb/s|300 ns|", "s2|s4|1|200 Gb/s|300 ns|"}));
}

TEST(TopologyDiagram, StatesTheRatesAndDelaysThatCablesHave) {
  const auto texts = textsOf(parseXml(renderTopology(graph())));
  // Hosts; s1 and s3, which are neighbours; s2 above; s4 at the top.
  for (const char* text : {"100 Gb/s", "10 to 20 ns", "300 ns", "300 to 5,000 ns", "200 Gb/s"}) {
    EXPECT_TRUE(has(texts, text)) << text;
  }
  EXPECT_FALSE(has(texts, "250 ns"));
  EXPECT_FALSE(has(texts, "50 ns"));
  fabric::TopologySpec faster = clos();
  faster.fabric_rate = gigabitsPerSecond(800);
  const auto tiers = textsOf(parseXml(renderTopology(faster)));
  EXPECT_TRUE(has(tiers, "400 Gb/s"));
  EXPECT_TRUE(has(tiers, "800 Gb/s"));
}

std::size_t failedOf(const Element& svg, const char* element) {
  const auto all = svg.all(element);
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const Element* one) {
    return one->attributes.at("class").ends_with(" failed");
  }));
}

TEST(TopologyDiagram, FailedCablesAndSwitchesAreMarked) {
  const auto drawn = [](const fabric::TopologySpec& topology, const std::string& element) {
    return parseXml(renderTopology(topology, {{element, nanoseconds(1), {}}}));
  };
  const Element cable = drawn(clos(), "leaf1-spine0");
  EXPECT_EQ(failedOf(cable, "line"), 1U);
  EXPECT_EQ(failedOf(cable, "rect"), 0U);
  EXPECT_EQ(failedOf(drawn(clos(), "spine0-leaf1#1"), "line"), 1U);
  EXPECT_EQ(failedOf(drawn(clos(), "host3-leaf1"), "line"), 1U);
  // A failed switch includes its cables.
  const Element spine = drawn(clos(), "spine1");
  EXPECT_EQ(failedOf(spine, "line"), 3U);
  EXPECT_EQ(failedOf(spine, "rect"), 1U);

  fabric::TopologySpec pods = clos();
  pods.kind = fabric::TopologyKind::kClos3;
  pods.pods = 2;
  pods.superspines = 2;
  EXPECT_EQ(failedOf(drawn(pods, "pod1.leaf0-pod1.spine1"), "line"), 1U);
  EXPECT_EQ(failedOf(drawn(pods, "superspine1"), "rect"), 1U);
  fabric::TopologySpec single;
  single.kind = fabric::TopologyKind::kSingleSwitch;
  single.hosts = 4;
  EXPECT_EQ(failedOf(drawn(single, "host2-switch0"), "line"), 1U);
  fabric::TopologySpec link;
  link.kind = fabric::TopologyKind::kLink;
  EXPECT_EQ(failedOf(drawn(link, "host0-host1"), "line"), 1U);
  EXPECT_EQ(failedOf(parseXml(renderTopology(clos())), "line"), 0U);
}

TEST(TopologyDiagram, ATestThatLetSomethingFailShowsWhat) {
  results::TestResult test;
  const auto failed = [&](const std::optional<fabric::TopologySpec>& topology) {
    ReportInput input;
    input.topology = topology;
    return parseXml(testSectionHtml(test, "test", input));
  };
  EXPECT_TRUE(failed(clos()).all("svg").empty());
  test.failed_elements = {"leaf1-spine0", "spine1"};
  EXPECT_EQ(failedOf(failed(clos()), "rect"), 1U);
  EXPECT_EQ(failedOf(failed(clos()), "line"), 1U + 3U);
  EXPECT_TRUE(failed(std::nullopt).all("svg").empty());
}

results::Kpi kpi(const std::string& name, const std::string& point, double value,
                 ObservationPoint observed = ObservationPoint::kModelled) {
  results::Kpi kpi{name, point, {}};
  kpi.quantity.value = value;
  kpi.quantity.unit = "Gb/s";
  kpi.quantity.observed = observed;
  return kpi;
}

TEST(KpiMap, NamesTestsAndObservationPointsOfEachFigure) {
  results::TestResult first;
  first.id = "T9.1";
  first.kpis = {kpi("busbw_gbps", "a", 1), kpi("busbw_gbps", "b", 2)};
  results::TestResult second;
  second.id = "T9.2";
  second.kpis = {kpi("busbw_gbps", "a", 1, ObservationPoint::kTester), kpi("goodput_gbps", "a", 2)};
  const auto rows = rowsOf(kpiMapHtml({first, second}));
  EXPECT_EQ(rows, (std::vector<std::string>{
                      "Figure|Meaning|Unit|Measured by|Values|Observed at",
                      "busbw_gbps|Bus bandwidth of a rank, mean over the iterations|Gb/s|T9.1, "
                      "T9.2|3|modelled, tester, at the DUT's ports",
                      "goodput_gbps|Payload that arrives per second at all hosts|Gb/s|T9.2|1|"
                      "modelled"}));
  EXPECT_EQ(kpiMapHtml({}), "");
}

TEST(TransportTable, PutsServicesSideBySide) {
  results::TestResult test;
  test.kpis = {kpi("busbw_gbps", "8 MiB, 32 ranks, RC, ECMP", 100),
               kpi("busbw_gbps", "8 MiB, 32 ranks, RUD, packet spray", 300),
               kpi("busbw_gbps", "1 MiB, 32 ranks, RC, ECMP", 90)};
  const auto table = transportTable(test);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->columns,
            (std::vector<std::string>{"Point", "Figure", "RC, ECMP", "RUD, packet spray"}));
  ASSERT_EQ(table->rows.size(), 2U);
  EXPECT_EQ(std::get<std::string>(table->rows[0][0]), "8 MiB, 32 ranks");
  EXPECT_EQ(std::get<results::Quantity>(table->rows[0][2]).value, 100);
  EXPECT_EQ(std::get<results::Quantity>(table->rows[0][3]).value, 300);
  EXPECT_EQ(std::get<std::string>(table->rows[1][3]), "–");
}

TEST(TransportTable, OnlyWhereBothWereMeasuredAtOnePoint) {
  results::TestResult test;
  test.kpis = {kpi("a", "4 flows, RC", 1), kpi("a", "4 flows, UC", 2)};
  EXPECT_FALSE(transportTable(test));  // RoCEv2 alone
  test.kpis = {kpi("a", "4 flows, RC", 1), kpi("a", "8 flows, RUD", 2)};
  EXPECT_FALSE(transportTable(test));  // never at the same point
  test.kpis = {kpi("a", "ECMP", 1), kpi("a", "RCX, RUDDER", 2)};
  EXPECT_FALSE(transportTable(test));  // no words of a transport
  test.kpis = {kpi("a", "UET, NSCC", 1), kpi("a", "RoCEv2, DCQCN", 2)};
  EXPECT_TRUE(transportTable(test));  // a point may consist of the service only
}

TEST(TransportTable, OfVeryManyFiguresTheMainOneStays) {
  results::TestResult test;
  for (int i = 0; i < 50; ++i) {
    for (const char* service : {"RC", "RUD"}) {
      const std::string point = std::to_string(i) + " ranks, " + service;
      test.kpis.push_back(kpi("other", point, 1));
      test.kpis.push_back(kpi("main", point, 2 + i));
    }
  }
  test.primary = {kpi("", "", 7).quantity};
  const auto table = transportTable(test);
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows.size(), 50U);
  EXPECT_EQ(std::get<std::string>(table->rows[0][1]), "main");
  EXPECT_NE(table->note, "");
}

Demand demand(const std::string& test, const std::string& what, Demand::State state,
              const std::string& answer) {
  return {test, what, false, "9.1", "MUST", state, answer};
}

TEST(Demands, AreFoldedAwayWithWhereTheyAre) {
  using State = Demand::State;
  std::vector<Demand> demands{
      demand("T9.1", "BusBW <P95>", State::kHere, "table “Bus bandwidth”, column “P95”"),
      demand("T9.1", "algo_factor", State::kMissing, "no column"),
      demand("T9.1", "power", State::kNotMeasured, "not measured: a model draws none"),
      demand("", "topology", State::kHere, "section “Topology”")};
  demands.front().swept = true;
  demands[2].level.clear();
  const std::string html = demandsHtml(demands, "T9.1");
  EXPECT_EQ(rowsOf(html), (std::vector<std::string>{
                              "Demanded|Section|Where it is, or why it is not here",
                              "Sweep: BusBW <P95>|9.1, MUST|table “Bus bandwidth”, column “P95”",
                              "algo_factor|9.1, MUST|Not here: no column",
                              "power|9.1|not measured: a model draws none"}));
  const Element details = parseXml(html);
  EXPECT_EQ(details.name, "details");
  EXPECT_EQ(textsOf(details, "summary"),
            (std::vector<std::string>{"Demanded by the methodology (3: 1 here, 1 missing, "
                                      "1 not measured)"}));
  EXPECT_EQ(rowsOf(demandsHtml(demands, "")).size(), 2U);
  EXPECT_EQ(demandsHtml(demands, "T9.2"), "");
}

}  // namespace
}  // namespace plumbline::report::testing
