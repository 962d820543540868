// Golden messages for descriptions of a simulated fabric and its hosts, as in errors_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/parse.h"
#include "tests/scenario/messages.h"
#include "tests/scenario/vocabulary.h"

namespace plumbline::scenario {
namespace {

// A valid scenario except for `dut`, whose lines are 3 on and indented by two.
std::string withDut(const std::string& dut) {
  return "{plumbline: 1, name: n, test: T5.2,\ndut: {\n" + dut + "}}\n";
}
// Line 4 on follows a clos2 of 2 leaves, 2 spines and 4 hosts.
std::string withClos(const std::string& rest) {
  return withDut("topology: {kind: clos2},\n" + rest);
}
// Line 3 is a transport.
std::string withTransport(const std::string& transport) {
  return "{plumbline: 1, name: n, test: T5.2, dut: {topology: {kind: switch}},\ntransport:\n" +
         transport + "}\n";
}

// Line 3 is a workload on 4 hosts.
std::string withWorkload(const std::string& workload) {
  return "{plumbline: 1, name: n, test: free, dut: {topology: {kind: clos2}},\n"
         "transport: {kind: roce}, workload:\n" +
         workload + "}\n";
}

// Messages of `size`, and longer ones; line 2 is the switch's CBFC.
std::string withCredits(const std::string& cbfc, const std::string& size) {
  return "{plumbline: 1, name: n, test: free, dut: {topology: {kind: clos2}, switch: {cbfc:\n" +
         cbfc + "}},\ntransport: {kind: roce}, workload: [{kind: pairs, ranks: 2, size: " + size +
         "}, {kind: pairs, ranks: 2, size: 1MiB}]}\n";
}

class SimulatedErrors : public testing::TestWithParam<Case> {};

TEST_P(SimulatedErrors, AreExact) {
  EXPECT_THAT(messages(parseScenario(GetParam().text, "s", simVocabulary())),
              testing::ElementsAreArray(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    Topology, SimulatedErrors,
    testing::Values(
        Case{"KeysOfOtherKinds",
             withDut("topology: {kind: rail, leaves: 2, pods: 2, hosts: 9,\n switches: [a],\n"
                     " cables: []}\n"),
             {"s:3:32: \"leaves\" does not exist in a topology of kind rail (with kind: clos2, "
              "clos3)",
              "s:3:41: \"pods\" does not exist in a topology of kind rail (with kind: clos3)",
              "s:3:51: \"hosts\" does not exist in a topology of kind rail (with kind: switch, "
              "graph)",
              "s:4:12: \"switches\" does not exist in a topology of kind rail (with kind: graph)",
              "s:5:10: \"cables\" does not exist in a topology of kind rail (with kind: graph)"}},
        Case{"Superspines",
             withDut("topology: {kind: clos3, spines: 2,\n superspines: 3}\n"),
             {"s:4:15: \"3\": 3 superspines cannot be shared out to 2 spines (a multiple of "
              "topology.spines)"}},
        Case{"EverySizeAtOnce",
             withDut("topology: {kind: pools, prefill_leaves: 0,\n decode_leaves: 0, spines: 0,\n"
                     " hosts_per_leaf: 0, uplinks: 0, fabric_link: 1G,\n fabric_delay: 0s}\n"),
             {"s:3:41: \"0\" is out of range (1 to 1024)",
              "s:4:17: \"0\" is out of range (1 to 1024)",
              "s:4:28: \"0\" is out of range (1 to 1024)",
              "s:5:18: \"0\" is out of range (1 to 8192)",
              "s:5:30: \"0\" is out of range (1 to 256)",
              "s:6:16: \"0s\" is out of range (1ps to 1s)"}},
        Case{"GraphWithoutItsLists",
             withDut("topology: {kind: graph, hosts: 3}\n"),
             {"s:3:11: the key \"switches\" is missing in \"topology\"",
              "s:3:11: the key \"cables\" is missing in \"topology\"",
              "s:3:32: \"hosts\" must be a list of names ([name, name, …])"}},
        Case{"GraphNames",
             withDut("topology: {kind: graph, hosts: [a, b-c],\n switches: [s, a],\n"
                     " cables: [{a: a, b: s}]}\n"),
             {"s:3:36: \"b-c\": \"b-c\" cannot name a node (1 to 64 letters, digits, dots and "
              "underscores)"}},
        Case{"GraphCables",
             withDut("topology: {kind: graph, hosts: [a, b], switches: [leaf],\n cables: [\n"
                     " {a: a, b: lief},\n {a: b, b: leaf, rate: 0G},\n {a: leaf, b: leaf},\n"
                     " {a: a, c: leaf}]}\n"),
             {"s:5:12: \"lief\": the graph has no node \"lief\" (names of hosts and switches)",
              "s:6:24: \"0G\" is out of range (1M to 8T)",
              "s:7:15: \"leaf\": leaf is joined to itself (another node)",
              "s:8:2: the key \"b\" is missing in \"cables\"",
              "s:8:9: unknown key \"c\" in \"cables\" (allowed: a, b, rate, delay)"}},
        Case{"GraphHostRates",
             withDut("topology: {kind: graph, hosts: [a, b, c], switches: [s], cables: [\n"
                     " {a: a, b: s, rate: 400G},\n {a: b, b: s},\n {a: s, b: c, rate: 100G}]}\n"),
             {"s:6:21: \"100G\": the host's link between s and c has 100 Gb/s, line rate is "
              "400 Gb/s (one rate for all hosts' links, such as 400G)"}},
        Case{"GraphHostRateBesideLink",
             withDut("topology: {kind: graph, link: 200G, hosts: [a, b], switches: [s], cables: [\n"
                     " {a: a, b: s, rate: 400G},\n {a: b, b: s}]}\n"),
             {"s:4:21: \"400G\": the host's link between a and s has 400 Gb/s, line rate is "
              "200 Gb/s (one rate for all hosts' links, such as 200G)"}}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Switch, SimulatedErrors,
    testing::Values(
        Case{"BothBuffers",
             withClos("switch: {buffer: 1MB,\n shared_buffer: {total: 1MB}}\n"),
             {"s:5:17: \"buffer\" and \"shared_buffer\" are both here (one of the two)"}},
        Case{"UnknownKeys",
             withClos("switch: {pcf: {},\n ecn: {kmim: 1KB},\n pfc: {xof: 1KB}}\n"),
             {"s:4:10: unknown key \"pcf\" in \"switch\" (did you mean \"pfc\"?)",
              "s:5:8: unknown key \"kmim\" in \"ecn\" (did you mean \"kmin\"?)",
              "s:6:8: unknown key \"xof\" in \"pfc\" (did you mean \"xoff\"?)"}},
        Case{
            "NotMaps",
            withClos("switch: {pfc: yes, trim: [],\n shared_buffer: 1MB, scheduler: 1}\n"),
            {"s:4:15: \"pfc\" must be a map (key: value, each on its own line, or {key: value, …})",
             "s:4:26: \"trim\" must be a map (key: value, each on its own line, or {key: value, "
             "…})",
             "s:5:17: \"shared_buffer\" must be a map (key: value, each on its own line, or {key: "
             "value, …})",
             "s:5:33: \"scheduler\" must be a map (key: value, each on its own line, or {key: "
             "value, …})"}},
        Case{
            "Pfc",
            withClos("switch: {pfc: {xoff: 10KB, xon: 20KB,\n priorities: [8], quanta: 0,\n"
                     " alpha: 1, response: 2s,\n watchdog: {poll: 0s, action: reset}}}\n"),
            {"s:4:33: \"20KB\": xon of 20000 bytes is above xoff of 10000 bytes (at most xoff)",
             "s:5:15: \"8\" is out of range (0 to 7)", "s:5:27: \"0\" is out of range (1 to 65535)",
             "s:6:9: \"1\": a share of a shared buffer that does not exist (only with "
             "shared_buffer)",
             "s:6:22: \"2s\" is out of range (0ns to 1ms)",
             "s:7:19: \"0s\" is out of range (1us to 100s)",
             "s:7:31: \"reset\" is not known here (one of drop, forward)"}},
        Case{
            "EcnRules",
            withClos("switch: {ecn: [{kmin: 2KB, kmax: 1KB},\n {pmax: 101%}, {at: exit},\n {}]}\n"),
            {"s:4:34: \"1KB\": kmax of 1000 bytes is below kmin of 2000 bytes (kmin or more)",
             "s:5:9: \"101%\" is out of range (0% to 100%)",
             "s:5:21: \"exit\" is not known here (one of enqueue, dequeue)"}},
        Case{"Priorities",
             withClos("switch: {ecn: {priorities: []},\n pfc: {priorities: [3, 3]}}\n"),
             {"s:4:28: the list is empty (leave the key out for the profile's default)",
              "s:5:24: this value is in the list already (each value once)"}},
        Case{"BufferTooSmallForItsHeadrooms",
             withClos("switch: {pfc: {}, shared_buffer: {\n total: 100KB}}\n"),
             {"s:5:9: \"100KB\": 100000 bytes do not hold the reserves and headrooms of a switch "
              "of 4 "
              "ports (at least 400064 bytes, or smaller reserves and headrooms)"}},
        Case{
            "TheTotalLeftOutIsTooSmall",
            withClos("switch: {pfc: {headroom: 9MB},\n shared_buffer: {alpha: 2}}\n"),
            {"s:5:17: \"total\" is left out: 32000000 bytes do not hold the reserves and headrooms "
             "of a switch of 4 ports (at least 36000064 bytes, or smaller reserves and "
             "headrooms)"}},
        Case{"Alpha",
             withClos("switch: {shared_buffer: {alpha: 50%}}\n"),
             {"s:4:33: \"50%\": \"%\" is not part of a plain number (0.000244140625 to 1024)"}},
        // Switches would round it to none.
        Case{"AlphaTooSmall",
             withClos("switch: {shared_buffer: {alpha: 1},\n pfc: {alpha: 0.0001}}\n"),
             {"s:5:15: \"0.0001\" is out of range (0.000244140625 to 1024)"}},
        Case{"Scheduler",
             withClos("switch: {scheduler: {quantum: 1B,\n weights: {8: 1, 3: 70000}}, voq: 1}\n"),
             {"s:4:31: \"1B\" is out of range (64B to 16MiB)",
              "s:5:12: unknown key \"8\" in \"weights\" (allowed: 0, 1, 2, 3, 4, 5, 6, 7)",
              "s:5:21: \"70000\" is out of range (0 to 65535)",
              "s:5:35: \"1\" is not known here (one of false, true)"}},
        Case{"TrimCbfcLlr",
             withClos("switch: {trim: {keep: 10B, priority: 8},\n cbfc: {credit_size: 100B,\n"
                      " packet_overhead: -17, consumed_period: 300ms},\n"
                      " llr: {sender_processing: 1s}}\n"),
             {"s:4:23: \"10B\" is out of range (60B to 9216B)",
              "s:4:38: \"8\" is out of range (0 to 7)",
              "s:5:22: \"100B\" is out of range (a power of two, 32B to 2KiB)",
              "s:6:19: \"-17\" is out of range (-16 to 127)",
              "s:6:41: \"300ms\" is out of range (1us to 250ms, or 0ns)",
              "s:7:27: \"1s\" is out of range (0ns to 1ms)"}},
        Case{"VirtualChannels",
             withClos("switch: {cbfc: {channels: [2, 3],\n virtual_channels: [{priorities: 2, "
                      "credits: 0},\n {priorities: [3, 5]}]}}\n"),
             {"s:5:46: \"0\" is out of range (1 to 1048575)",
              "s:6:15: a priority of this channel has no credits or another channel "
              "(priorities of cbfc.channels, each in one channel)"}},
        // 4096 + 78 B are 33 credits, of which the payload alone takes 32.
        Case{"CreditsThatLetNoDataThrough",
             withCredits("{credits: 31}", "4KiB"),
             {"s:2:11: a frame of 4174 B needs more than 31 credits to leave: no data is ever sent "
              "(at least 33)"}},
        Case{"CreditsOfAVirtualChannelThatLetNoDataThrough",
             withCredits("{virtual_channels: [{priorities: 3, credits: 1}]}", "4KiB"),
             {"s:2:46: a frame of 4174 B needs more than 1 credit to leave: no data is ever sent "
              "(at least 33)"}},
        Case{"CreditsThatLetNothingThrough",
             withCredits("{credits: 1, credit_size: 32B}", "4KiB"),
             {"s:2:11: \"1\": a frame of 64 B needs more than 1 credit to leave: nothing is ever "
              "sent (at least 2)"}},
        Case{"CreditsThatLetNoTrafficThrough",
             "{plumbline: 1, name: n, test: T5.2, dut: {topology: {kind: clos2}, switch: {cbfc:\n"
             "{credits: 7}}},\ntraffic: {frame_sizes: [1024B, 2KiB]}}\n",
             {"s:2:11: a frame of 2048 B needs more than 7 credits to leave: no data is ever sent "
              "(at least 16)"}},
        Case{"TrimmedIntoALosslessPriority",
             withClos("switch: {pfc: {priorities: 5},\n trim: {priority: 5}}\n"),
             {"s:5:19: \"5\": priority 5 is lossless by PFC (priorities that are not in "
              "pfc.priorities)"}},
        Case{"NoSwitch",
             withDut("topology: {kind: link},\nload_balancing: ecmp\n"),
             {"s:4:17: the topology kind link has no switch (leave \"load_balancing\" out)"}}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Paths, SimulatedErrors,
    testing::Values(
        Case{"LoadBalancing",
             withClos("load_balancing: ecmp-dp\n"),
             {"s:4:17: \"ecmp-dp\" is not known here (did you mean \"ecmp-qp\"?)"}},
        Case{"NoKind",
             withClos("load_balancing: {gap: 1us}\n"),
             {"s:4:17: the key \"kind\" is missing in \"load_balancing\""}},
        Case{"GapOfAnotherKind",
             withClos("load_balancing: {kind: ecmp, gap: 1us}\n"),
             {"s:4:35: \"gap\" does not exist in a load_balancing of kind ecmp (with kind: "
              "flowlet)"}},
        Case{"Gap",
             withClos("load_balancing: {kind: flowlet, gap: 0us}\n"),
             {"s:4:38: \"0us\" is out of range (1ps to 1s)"}},
        Case{"BitErrors",
             withClos("bit_errors: [{link: \"*\", rate: 0.1},\n {link: leaf0-spine9, rate: 1e-6},\n"
                      " {link: hosts, rate: 1%}, {rate: 0}]\n"),
             {"s:4:32: \"0.1\" is out of range (0 to 0.001)",
              "s:5:9: \"leaf0-spine9\": the topology has no \"spine9\" (names of the topology; "
              "near: spine0, spine1)",
              "s:6:22: \"1%\": \"%\" is not part of a plain number (0 to 0.001)",
              "s:6:27: the key \"link\" is missing in \"bit_errors\""}},
        Case{"Failures",
             withClos("failures: [{element: spine7, down: 1ms},\n {element: spine0, down: 2ms, up: "
                      "1ms},\n {element: spine1, down: 1ms, up: 3ms},\n {element: spine1, down: "
                      "2ms},\n {element: leaf0, up: 1ms}],\nconvergence: 9999999s\n"),
             {"s:4:22: \"spine7\": the topology has no \"spine7\" (names of the topology; near: "
              "spine0, spine1)",
              "s:5:35: \"1ms\": spine0 is up again no later than it is down (later than down)",
              "s:7:26: \"2ms\": spine1 fails while it is down (times of an element that do not "
              "overlap)",
              "s:8:2: the key \"down\" is missing in \"failures\"",
              "s:9:14: \"9999999s\": the value is too large (0ns to 1000000s)"}},
        Case{"PauseStorms",
             withClos("pause_storms: [{host: 4, duration: 1ms},\n {host: 0},\n"
                      " {host: 1, duration: 0s}]\n"),
             {"s:4:23: \"4\" is out of range (0 to 3)",
              "s:5:2: the key \"duration\" is missing in \"pause_storms\"",
              "s:6:22: \"0s\" is out of range (1ps to 1000000s)"}},
        Case{"NothingIsSaidOfElementsOfAWrongTopology",
             withDut("topology: {kind: clos2, spines: 0},\nfailures: {element: spine3, down: "
                     "0s},\nswitch: {latency: 0s}\n"),
             {"s:3:33: \"0\" is out of range (1 to 1024)",
              "s:5:19: \"0s\" is out of range (1ps to 1s)"}}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Transport, SimulatedErrors,
    testing::Values(
        Case{"NoKind",
             withTransport("{mtu: 4KiB}"),
             {"s:3:1: the key \"kind\" is missing in \"transport\""}},
        Case{"UnknownKind",
             withTransport("{kind: tcp}"),
             {"s:3:8: \"tcp\" is not known here (one of roce, uet)"}},
        Case{"NotAMap",
             withTransport("roce"),
             {"s:3:1: \"transport\" must be a map (key: value, each on its own line, or {key: "
              "value, "
              "…})"}},
        Case{"KeysOfTheOther",
             withTransport("{kind: roce, cc: nscc,\n dcqcn: {preset: papers, gg: 1}}"),
             {"s:3:14: unknown key \"cc\" in \"transport\" (allowed: kind, service, recovery, mtu, "
              "vlan, ip, ect, data_priority, ack_priority, cnp_priority, spray, "
              "shared_source_port, first_psn, ack_every, "
              "window, selective_nak, reorder_packets, reorder_tolerance, ack_timeout, "
              "exponential_backoff, max_ack_timeout, retries, setup_time, connections, dcqcn)",
              "s:4:18: \"papers\" is not known here (did you mean \"paper\"?)",
              "s:4:26: unknown key \"gg\" in \"dcqcn\" (did you mean \"g\"?)"}},
        Case{"Uet",
             withTransport("{kind: uet, mtu: 128B, service: rc,\n entropy: {set_size: 3},\n"
                           " nscc: {max_md_jump: 2}, rccc: {grant: 100B, pace: 0%}}"),
             {"s:3:18: \"128B\" is out of range (256B to 8KiB)",
              "s:3:33: \"rc\" is not known here (one of rod, rud, rudi, uud)",
              "s:4:22: \"3\" is out of range (a power of two, 1 to 32768)",
              "s:5:22: \"2\" is out of range (above 0, at most 1)",
              "s:5:40: \"100B\" is out of range (256B or more, a multiple of 256B)",
              "s:5:52: \"0%\" is out of range (above 0%, at most 100%)"}}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Workload, SimulatedErrors,
    testing::Values(
        Case{
            "Kinds",
            withWorkload("[{kind: allreduse}, {size: 1MB},\n 7]"),
            {"s:3:9: \"allreduse\" is not known here (did you mean \"allreduce\"?)",
             "s:3:21: the key \"kind\" is missing in \"workload\"",

             "s:4:2: \"workload\" must be a map (key: value, each on its own line, or {key: value, "
             "…})"}},
        Case{
            "KeysOfOtherKinds",
            withWorkload("[{kind: incast, ranks: 2, algorithm: ring},\n {kind: alltoall, ranks: 2, "
                         "phase: 1us}]"),
            {"s:3:27: unknown key \"algorithm\" in \"workload\" (allowed: kind, name, ranks, "
             "hosts, placement, start, flows, first_flow, flow_use, verb, bidirectional, size, "
             "messages, "
             "outstanding, interval, poisson, load, on, off, phase, until)",
             "s:4:29: unknown key \"phase\" in \"workload\" (allowed: kind, name, ranks, hosts, "
             "placement, start, flows, first_flow, flow_use, verb, iterations, compute, "
             "compute_spread, "
             "overlap, barrier, algorithm, size, element, chunk, window, ranks_per_server, before, "
             "after)"}},
        Case{"Values",
             withWorkload("{kind: training, iterations: 0, compute: 1, verb: push,\n collectives: "
                          "[{kind: reduce, size: 5, algorithm: rings}, 3]}"),
             {"s:3:30: \"0\" is out of range (1 to 10000000)",
              "s:3:42: \"1\": the unit is missing: one of ps, ns, us, ms, s, µs (0ns to "
              "1000000s)",
              "s:3:51: \"push\" is not known here (one of write, write-immediate, send, read)",
              "s:4:23: \"reduce\" is not known here (one of allreduce, reduce-scatter, allgather, "
              "alltoall, broadcast)",
              "s:4:37: \"5\": the unit is missing: one of B, KB, KiB, MB, MiB, GB, GiB (a size "
              "such as 64KB)",
              "s:4:51: \"rings\" is not known here (did you mean \"ring\"?)",
              "s:4:59: \"collectives\" must be a map (key: value, each on its own line, or {key: "
              "value, …})"}},
        Case{
            "Pace",
            withWorkload(
                "[{kind: pairs, ranks: 2, load: 0%},\n {kind: pairs, ranks: 2, load: 5%, "
                "interval: 1us, outstanding: 2},\n {kind: pairs, poisson: true, on: 1us}]"),
            {"s:3:32: \"0%\" is out of range (more than 0% up to 100% of the link's rate)",
             "s:4:32: \"load\" and \"interval\" are both here (one of the two)",
             "s:4:64: messages at fixed times are not limited in number (without \"interval\" and "
             "\"load\")",
             "s:5:2: the key \"off\" is missing in \"workload\"",
             "s:5:25: only messages at given times can be random (with \"interval\" or \"load\")"}},
        Case{"Placement",
             withWorkload("{kind: pairs, hosts: [0, 1], ranks: 2, placement: {rule: rail}}"),
             {"s:3:22: \"hosts\" already gives the host of every rank (without \"ranks\" and "
              "\"placement\")",
              "s:3:58: \"rail\" is not known here (one of contiguous, strided, random, "
              "interleaved)"}},
        Case{"ReadsOfUnreliableServices",
             withWorkload("[{kind: pairs, ranks: 2},\n {kind: pairs, ranks: 2, verb: read}]")
                 .replace(withWorkload("").find("roce"), 4, "roce, service: uc"),
             {"s:4:32: \"read\": unreliable connections have no READ (transport.service: rc)"}},
        Case{"JobsThatCannotRun",
             withWorkload("[{kind: allreduce, ranks: 3, algorithm: halving-doubling},\n {kind: "
                          "pairs, hosts: [0, 4]},\n {kind: pairs, ranks: 2, size: 0B},\n {kind: "
                          "pairs, ranks: 2},\n {kind: pairs, ranks: 4}]"),
             {"s:3:41: \"halving-doubling\": job 'allreduce1': halving-doubling does not work with "
              "3 ranks (a power of "
              "two)",
              "s:4:2: job 'pairs2': host 4 does not exist: the topology has 4 hosts (0 to 3)",
              "s:5:32: \"0B\" is out of range (1B to 1099511627775B)",
              "s:7:2: job 'pairs5': the job has 4 ranks, and 2 hosts are free (at least one rank, "
              "and a free host for each)"}},
        Case{"Trace",
             withWorkload("{kind: trace, entries: [{from: 0, to: 9, size: 1B}]}"),
             {"s:3:1: job 'trace1': trace entry 0: 1 B from rank 0 to rank 9, of 4 ranks (two "
              "different ranks, 1 to 2^40 - 1 bytes, time zero or later)"}},
        Case{"NoJob", withWorkload("[]"), {"s:3:1: the workload has no jobs (one job at least)"}},
        Case{"NoMessage",
             withWorkload("[{kind: trace, entries: []},\n {kind: pairs, size: 1B, messages: 0}]"),
             {"s:3:25: \"entries\" is empty (a message at least)",
              "s:4:36: \"0\" is out of range (1 or more)"}},
        Case{"MoreMessagesThanCanBeCounted",
             withWorkload("{kind: pairs, size: 1B, messages: 18446744073709551615}"),
             {"s:3:35: \"18446744073709551615\" is out of range (1 to 18446744073709551614)"}},
        Case{"WithoutATopologyRanksCannotBeJudged",
             "{plumbline: 1, name: n, test: free, dut: {topology: {kind: clos2, leaves: 0}},\n"
             "transport: {kind: roce}, workload: {kind: pairs, ranks: 99}}\n",
             {"s:1:75: \"0\" is out of range (1 to 1024)"}}),
    [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Free, SimulatedErrors,
    testing::Values(
        Case{"NeedsTransportAndWorkload",
             "{plumbline: 1, name: n, test: free,\ndut: {topology: {kind: link}}}\n",
             {"s:1:1: the key \"transport\" is missing", "s:1:1: the key \"workload\" is missing"}},
        Case{"NeedsSimulatedHosts",
             "{plumbline: 1, name: n, test: free, bench: rtl,\ndut: {topology: {kind: link}},\n"
             "transport: {kind: roce}, workload: {kind: pairs}}\n",
             {"s:1:44: the test free needs simulated hosts (sim, or leave \"bench\" out)"}},
        Case{"RunsByItself",
             "{plumbline: 1, name: n, tests: [free, T5.1],\ndut: {topology: {kind: link}},\n"
             "transport: {kind: roce}, workload: {kind: pairs}}\n",
             {"s:1:32: the test free cannot be combined with other tests (test: free)"}},
        Case{"OtherTestsBringTheirWorkload",
             "{plumbline: 1, name: n, test: T5.1, dut: {topology: {kind: link}},\n"
             "workload: {kind: pairs}}\n",
             {"s:2:11: the tests of this scenario bring their own workload (test: free)"}}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace plumbline::scenario
