// Golden messages: for each wrong scenario, every message word for word, with line and column.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/parse.h"
#include "tests/scenario/messages.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

// A right scenario around one part that is not: line 4 on.
std::string with(const std::string& rest) { return "plumbline: 1\nname: n\ntest: T5.2\n" + rest; }
std::string withLink(const std::string& rest) {
  return with("dut: {topology: {kind: link}}\n" + rest);  // `rest` begins on line 5
}

const std::string kSizes = " (64B to 9216B)";
const std::string kKinds = "link, switch, clos2, clos3, rail, pools, graph";
const std::string kLoads = " (more than 0% up to 100% of the link's rate, or a rate such as 25G)";

class ScenarioErrors : public testing::TestWithParam<Case> {};

TEST_P(ScenarioErrors, AreExact) {
  EXPECT_THAT(messages(parseScenario(GetParam().text, "s", testVocabulary())),
              testing::ElementsAreArray(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    File, ScenarioErrors,
    testing::Values(
        Case{"Empty", "", {"s:1:1: the file is empty"}},
        Case{"OnlyComments", "# nothing\n\n", {"s:1:1: the file is empty"}},
        Case{"NoMap",
             "- 1\n",
             {"s:1:1: a scenario is a map of keys and values "
              "(key: value, each on its own line, or {key: value, …})"}},
        Case{"BrokenYaml",
             "plumbline: 1\nname: a: b\n",
             {"s:2:8: not valid YAML: illegal map value"}},
        Case{"TabInTheIndentation",
             "plumbline: 1\ndut:\n \ttopology: {kind: link}\n",
             {"s:3:2: a tab in the indentation (spaces)"}},
        Case{"TwoDocuments",
             withLink("---\nplumbline: 1\n"),
             {"s:6:1: the file holds a second YAML document (one scenario per file)"}},
        Case{"NotUtf8",
             "plumbline: 1\nname: caf\xe9\n",
             {"s:2:10: this byte is not text (UTF-8 without control characters)"}},
        Case{"ControlCharacter",
             std::string("na\0me", 5),
             {"s:1:3: this byte is not text (UTF-8 without control characters)"}},
        Case{"Tag",
             "plumbline: !!int 1\n",
             {"s:1:12: tags (!!name) are not allowed in a scenario (leave the tag out)"}},
        Case{"Anchor",
             "dut: &d {}\n",
             {"s:1:6: anchors (&name) are not allowed in a scenario (write the value out)"}},
        Case{"KeyIsAList", "[a]: 1\n", {"s:1:1: a key must be a plain word"}},
        Case{"ColumnsAreCharacters",
             withLink("größe: {ü: !!int 1}\n"),
             {"s:5:12: tags (!!name) are not allowed in a scenario (leave the tag out)"}}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Head, ScenarioErrors,
    testing::Values(
        Case{"EverythingMissing",
             "{}\n",
             {"s:1:1: the key \"plumbline\" is missing", "s:1:1: the key \"name\" is missing",
              "s:1:1: the key \"test\" is missing (test: or tests: with T5.1, T5.2, T5.3)",
              "s:1:1: the key \"dut\" is missing"}},
        Case{"UnknownKeys",
             withLink("sead: 7\nfrobnicate: yes\n"),
             {"s:5:1: unknown key \"sead\" (did you mean \"seed\"?)",
              "s:6:1: unknown key \"frobnicate\" (allowed: plumbline, name, test, tests, bench, "
              "profile, seed, dut, transport, fast_forward, workload, serving, endpoint, fpga, "
              "traffic, parameters, dut_metrics, limits)"}},
        Case{"DuplicateKey",
             withLink("seed: 1\nseed: 2\n"),
             {"s:6:1: the key \"seed\" appears twice (each key once)"}},
        Case{"Version",
             "plumbline: 2\nname: n\ntest: T5.1\ndut: {topology: {kind: link}}\n",
             {"s:1:12: \"2\" is out of range (1)"}},
        Case{"UnknownTest",
             "plumbline: 1\nname: n\ntest: t5.1\ndut: {topology: {kind: link}}\n",
             {"s:3:7: \"t5.1\" is not known here (did you mean \"T5.1\"?)"}},
        Case{"TestAndTests",
             withLink("tests: [T5.1]\n"),
             {"s:5:8: \"test\" and \"tests\" are both here (one of the two)"}},
        Case{"TestTwice",
             "plumbline: 1\nname: n\ntests: [T5.1, T5.2, T5.1]\ndut: {topology: {kind: link}}\n",
             {"s:3:21: this value is in the list already (each value once)"}},
        Case{"NoTests",
             "plumbline: 1\nname: n\ntests: []\ndut: {topology: {kind: link}}\n",
             {"s:3:8: the list is empty (leave the key out for the profile's default)"}},
        Case{"WrongWords",
             withLink("bench: fpga\nprofile: quik\n"),
             {"s:5:8: \"fpga\" is not known here (one of rtl)",
              "s:6:10: \"quik\" is not known here (did you mean \"quick\"?)"}},
        Case{"Seeds",
             withLink("seed: -1\n"),
             {"s:5:7: \"-1\": the value must not be negative (0 to 18446744073709551615)"}},
        Case{"SeedAsText",
             withLink("seed: \"7\"\n"),
             {"s:5:7: \"7\" is text, not a number (0 to 18446744073709551615, without quotation "
              "marks)"}},
        Case{"SeedTooLarge",
             withLink("seed: 18446744073709551616\n"),
             {"s:5:7: \"18446744073709551616\": the value is too large (0 to "
              "18446744073709551615)"}},
        Case{"EmptyName",
             "plumbline: 1\nname: ''\ntest: T5.1\ndut: {topology: {kind: link}}\n",
             {"s:2:7: the text is empty (1 to 100 characters)"}}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Dut, ScenarioErrors,
    testing::Values(
        Case{
            "NoTopology", with("dut: {}\n"), {"s:4:6: the key \"topology\" is missing in \"dut\""}},
        Case{"EmptyDut",
             with("dut:\n"),
             {"s:4:1: \"dut\" must be a map (key: value, each on its own line, or {key: value, "
              "…})"}},
        Case{"NoKind",
             with("dut:\n  topology: {hosts: 2}\n"),
             {"s:5:13: the key \"kind\" is missing in \"topology\""}},
        Case{"UnknownKind",
             with("dut:\n  topology: {kind: clos4}\n"),
             {"s:5:20: \"clos4\" is not known here (did you mean \"clos2\"?)"}},
        Case{"KeysOfOtherKinds",
             with("dut:\n  topology: {kind: switch, leaves: 2, fabric_delay: 1us}\n"),
             {"s:5:36: \"leaves\" does not exist in a topology of kind switch (with kind: clos2, "
              "clos3)",
              "s:5:53: \"fabric_delay\" does not exist in a topology of kind switch (with kind: "
              "clos2, "
              "clos3, rail, pools, graph)"}},
        Case{"SwitchOfALink",
             with("dut:\n  topology: {kind: link}\n  switch: {latency: 1us}\n"),
             {"s:6:11: the topology kind link has no switch (leave \"switch\" out)"}},
        Case{"OutOfRange",
             with("dut:\n  topology:\n    kind: switch\n    hosts: 1\n    link: 9T\n"
                  "    host_delay: 0ns\n  switch:\n    buffer: 63B\n    latency: 2s\n"),
             {"s:7:12: \"1\" is out of range (2 to 8192)",
              "s:8:11: \"9T\" is out of range (1M to 8T)",
              "s:9:17: \"0ns\" is out of range (1ps to 1s)",
              "s:11:13: \"63B\" is out of range (64B to 1024GiB)",
              "s:12:14: \"2s\" is out of range (1ps to 1s)"}},
        Case{"Units",
             with("dut:\n  topology: {kind: link, link: 100GB, host_delay: 5}\n"),
             {"s:5:32: \"100GB\": unknown unit \"GB\": one of M, G, T (1M to 8T)",
              "s:5:51: \"5\": the unit is missing: one of ps, ns, us, ms, s, µs (1ps to 1s)"}},
        Case{"TooManyHosts",
             with("dut: {topology: {kind: clos2, leaves: 1000, hosts_per_leaf: 1000}}\n"),
             {"s:4:17: topology.leaves * topology.hosts_per_leaf: 1000000 is out of range (2 to "
              "8192)"}},
        Case{"MissingValue",
             with("dut:\n  topology:\n    kind:\n  switch: {}\n"),
             {"s:6:5: the value is missing (one of " + kKinds + ")"}},
        Case{"ListForAValue",
             with("dut: {topology: {kind: [link]}}\n"),
             {"s:4:24: a single value is needed here, not a list (one of " + kKinds + ")"}},
        Case{"Identification",
             with("dut:\n  topology: {kind: link}\n  identification:\n    vendor: a\n"
                  "    vendor: b\n    model: {x: y}\n"),
             {"s:8:5: the key \"vendor\" appears twice (each key once)",
              "s:9:12: a single value is needed here, not a map (1 to 500 characters)"}}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Traffic, ScenarioErrors,
    testing::Values(
        Case{"Sizes",
             withLink("traffic: {frame_sizes: [64, 63B, 64B, 64B, 10KB, 1.5B]}\n"),
             {"s:5:25: \"64\": the unit is missing: one of B, KB, KiB, MB, MiB, GB, GiB" + kSizes,
              "s:5:29: \"63B\" is out of range" + kSizes,
              "s:5:39: this value is in the list already (each value once)",
              "s:5:44: \"10KB\" is out of range" + kSizes,
              "s:5:50: \"1.5B\": the value is finer than the smallest step, 1 B" + kSizes}},
        Case{"MessageSizes",
             withLink("traffic:\n  message_sizes:\n    - 66B\n    - 8KiB\n"),
             {"s:7:7: \"66B\" is out of range (20B to 4KiB, a multiple of 4B)",
              "s:8:7: \"8KiB\" is out of range (20B to 4KiB, a multiple of 4B)"}},
        Case{"UdpHasNoMessages",
             withLink("traffic: {message_sizes: 64B, qps: 4, transport: udp}\n"),
             {"s:5:26: plain UDP frames carry no RDMA messages (frame_sizes, or a rocev2 "
              "transport)",
              "s:5:36: plain UDP frames have no queue pairs (a rocev2 transport)"}},
        Case{
            "Format",
            withLink("traffic:\n  transport: roce\n  ip: 5\n  vlan: 4095\n  priority: 8\n"
                     "  dscp: 64\n  qps: 4097\n  direction: both\n"),
            {("s:6:14: \"roce\" is not known here (one of udp, rocev2-send, rocev2-write, uet-rud, "
              "uet-rod, uet-rudi, uet-uud)"),
             "s:7:7: \"5\" is not known here (one of 4, 6)",
             "s:8:9: \"4095\" is out of range (1 to 4094)",
             "s:9:13: \"8\" is out of range (0 to 7)", "s:10:9: \"64\" is out of range (0 to 63)",
             "s:11:8: \"4097\" is out of range (1 to 4096)",
             "s:12:14: \"both\" is not known here (one of uni, bi)"}},
        Case{"Pairs",
             withLink("traffic:\n  pairs:\n  - [0, 1]\n  - [0, 2]\n  - [1, 1]\n  - [1]\n  - 1\n"
                      "  - [0, 1]\n"),
             {"s:8:9: \"2\" is out of range (0 to 1)",
              "s:9:5: a host cannot send to itself (two different hosts)",
              "s:10:5: a pair of hosts is needed here ([from, to])",
              "s:11:5: a pair of hosts is needed here ([from, to])",
              "s:12:5: this value is in the list already (each value once)"}},
        Case{"PairsWord",
             withLink("traffic: {pairs: some}\n"),
             {"s:5:18: \"pairs\" is neither \"all\" nor a list (all, or [[from, to], …])"}}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Rest, ScenarioErrors,
    testing::Values(
        Case{"Parameters",
             withLink("parameters:\n  repetitions: 0\n  duration: 1min\n  drain: 11s\n"
                      "  resolution: 60%\n  max_burst: 16777217\n  incast_ratios: [1, 2]\n"),
             {"s:6:16: \"0\" is out of range (1 to 10000)",
              ("s:7:13: \"1min\": unknown unit \"min\": one of ps, ns, us, ms, s, µs (1us to "
               "86400s)"),
              "s:8:10: \"11s\" is out of range (0ns to 10s)",
              "s:9:15: \"60%\" is out of range (0.0001% to 50%)",
              "s:10:14: \"16777217\" is out of range (1 to 16777216)",
              "s:11:22: \"2\" is out of range (1)"}},
        Case{"HostParameters",
             withLink("parameters:\n  sizes: 0B\n  ranks: [1, 3]\n  flows: 257\n"
                      "  balancing: [ecmp, sprai]\n  compute: 2h\n  iterations: 0\n"
                      "  progress: {unit: images}\n  soak: {interval: 1ms, every: 1s}\n"),
             {"s:6:10: \"0B\" is out of range (1B to 16GiB)", "s:7:11: \"1\" is out of range (2)",
              "s:7:14: \"3\" is out of range (2)", "s:8:10: \"257\" is out of range (1 to 256)",
              "s:9:21: \"sprai\" is not known here (did you mean \"spray\"?)",
              "s:10:12: \"2h\": unknown unit \"h\": one of ps, ns, us, ms, s, µs (0ns to 3600s)",
              "s:11:15: \"0\" is out of range (1 to 10000000)",
              "s:12:13: the key \"per_iteration\" is missing in \"progress\"",
              "s:13:20: \"1ms\" is out of range (1s to 86400s)",
              "s:13:25: unknown key \"every\" in \"soak\" (allowed: duration, interval, flap)"}},
        Case{
            "Loads",
            with("dut: {topology: {kind: link, link: 300G}}\n"
                 "parameters: {loads: [0%, 101%, 50, 100G, 301G, {}]}\n"),
            {"s:5:22: \"0%\" is out of range" + kLoads, "s:5:26: \"101%\" is out of range" + kLoads,
             "s:5:32: \"50\" is neither a share nor a rate" + kLoads,
             "s:5:36: \"100G\" is not an exact share of the link's rate" + kLoads,
             "s:5:42: \"301G\" is not an exact share of the link's rate" + kLoads,
             "s:5:48: a single value is needed here" + kLoads}},
        Case{"Limits",
             withLink("limits:\n  latency_p99_us: 5\n  latency_max_ns: 5us\n  loss_ppm: 1000001\n"
                      "  throughput_percent: 99\n  algo_factor: 1\n  zz: 1\n"),
             {"s:6:3: unknown key \"latency_p99_us\" in \"limits\" (did you mean "
              "\"latency_p99_ns\"?)",
              "s:7:19: \"5us\": \"us\" is not part of a plain number (0 to 1000000000000 (ns))",
              "s:8:13: \"1000001\" is out of range (0 to 1000000 (ppm))",
              "s:9:23: no test of this scenario measures throughput_percent (throughput_percent is "
              "measured by T5.1)",
              "s:10:3: algo_factor is better neither high nor low (a KPI that is better high or "
              "low, of `plumbline list kpis --markdown`)",
              "s:11:3: unknown key \"zz\" in \"limits\" (a KPI that is better high or low, of "
              "`plumbline list kpis --markdown`)"}},
        // Values that depend on an invalid part are not checked against it: no second message.
        Case{"NoMessagesThatFollowFromOthers",
             "plumbline: 1\nname: n\ntest: T7\ndut: {topology: {kind: switch, hosts: x}}\n"
             "traffic: {pairs: [[0, 7]]}\nparameters: {incast_ratios: [9], loads: [25G]}\n"
             "limits: {throughput_percent: 99}\n",
             {"s:3:7: \"T7\" is not known here (one of T5.1, T5.2, T5.3)",
              "s:4:39: \"x\": this is not a plain integer (2 to 8192)"}}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace plumbline::scenario
