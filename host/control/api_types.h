// Data types of the API besides live intervals: requests, answers and refusals as plain data with a
// JSON form. docs/openapi.yaml describes the same for other programs. Members have the names of the
// JSON; units are their suffixes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plumbline::control {

inline constexpr std::uint16_t kDefaultPort = 8470;

struct BenchDescription {
  std::string name;  // "rtl"
  std::string description;
  std::uint32_t max_ports = 0;
  std::uint64_t line_rate_bps = 0;
  std::int64_t timestamp_resolution_ps = 0;
  bool simulated_dut = true;
  std::string observed;  // "tester", "modelled"
};

struct TestDescription {
  std::string id;  // "T5.2"
  std::string title;
  bool on_hosts = false;
};

struct ServerCapabilities {
  std::uint32_t api = 1;
  std::string software;  // "plumbline 0.1.0"
  std::string machine;
  std::string instance;  // changes whenever the server starts
  std::vector<BenchDescription> benches;
  std::vector<TestDescription> tests;
  std::uint64_t max_body_bytes = 0;
};

// "free", "reserved", "running"; "absent": this machine has no device for it
struct PortState {
  std::string name;  // "rtl/0"; "sim": the simulated hosts of one run
  std::string bench;
  std::uint32_t number = 0;
  std::uint64_t line_rate_bps = 0;
  std::string state;
  std::string owner;                // who reserved it, or whose run it is; may be empty
  std::optional<std::int64_t> run;  // while a run has it
};

struct ReservationRequest {
  std::vector<std::string> ports;
  std::string owner;         // for others to read
  std::int64_t ttl_s = 600;  // until it expires
};

struct Reservation {
  std::string id;  // to start runs with, and to release
  std::vector<std::string> ports;
  std::string owner;
  std::int64_t expires_ms = 0;  // server's clock, since 1970 UTC
};

struct ScenarioListing {
  std::string name;
  std::string file;
  std::string bench;
  std::vector<std::string> tests;
};

struct ScenarioText {
  std::string name;
  std::string file;
  std::string text;
};

// A scenario to run, validate or plan: a text, or the name of one shipped with the server.
struct ScenarioRequest {
  std::string scenario;  // YAML; empty = by name
  std::string name;      // file name for messages, or of the shipped scenario
  std::optional<std::string> bench;
  std::optional<std::string> profile;
  std::optional<std::uint64_t> seed;
};

struct ScenarioProblem {
  std::uint64_t line = 0;  // from 1
  std::uint64_t column = 0;
  std::string what;
  std::string allowed;
};

struct ValidationAnswer {
  bool valid = false;  // no problems and no refusals
  std::vector<ScenarioProblem> problems;
  std::vector<std::string> refusals;  // why the bench cannot run it
  // For a scenario without problems: legal but probably unintended settings (scenario/warnings.h).
  std::vector<ScenarioProblem> warnings;
};

struct TopologyNode {
  std::string name;
  std::string kind;  // "host", "switch"
};

struct TopologyLink {
  std::string name;
  std::string from;
  std::string to;
  std::uint64_t rate_bps = 0;
};

struct TopologyFailure {
  std::string element;  // link or switch
  std::int64_t at_ps = 0;
  std::optional<std::int64_t> until_ps;  // absent: for good
};

// The fabric as built; links are directions of cables, with the names of live intervals.
struct TopologyPicture {
  std::string description;
  std::vector<TopologyNode> nodes;
  std::vector<TopologyLink> links;
  std::vector<TopologyFailure> failures;
};

struct PlannedFrame {
  std::string trial;
  std::string stream;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::string hex;
};

struct PlannedTestAnswer {
  std::string id;
  std::string title;
  std::string bench;  // which runs it; a comparison of benches has each test twice
  std::vector<std::string> points;
  std::uint64_t trials = 0;
  std::int64_t simulated_ps = 0;  // card time; 0 where cost depends on packets
  double packet_hops = 0;
  double expected_s = 0;  // wall clock, roughly
  std::vector<PlannedFrame> first_frames;
};

struct PlanAnswer {
  std::string name;
  std::string bench;
  std::string profile;
  std::uint64_t seed = 0;
  std::vector<std::string> ports;  // that a run would own
  std::vector<PlannedTestAnswer> tests;
  TopologyPicture topology;
  std::string files;  // which the scenario names, with sizes and hashes, a line each
};

// Common start with runs of other servers: of the first trial at a given time, or of every trial
// when an order arrives. One of both.
struct CommonStart {
  std::optional<std::int64_t> at_ns;  // the server's clock, since 1970 UTC
  // Every trial waits for a TrialOrder. The run stops after this time without one.
  std::optional<std::int64_t> hold_s;
  // The caller's estimate of how far this server's clock is ahead of its own.
  std::optional<std::int64_t> clock_offset_ns;
  std::optional<std::int64_t> clock_uncertainty_ns;
};

struct RunRequest {
  ScenarioRequest scenario;
  std::optional<std::string> reservation;     // whose ports may be used
  std::string owner;                          // for others to read
  std::optional<std::uint32_t> capture_port;  // keep its frames as pcapng
  std::uint32_t threads = 1;                  // of one simulation; results do not depend on it
  // Continue the latest unfinished run with the same scenario text, bench, profile and seed, if
  // there is one.
  bool resume = false;
  std::optional<CommonStart> start;  // absent: at once
};

// A trial that is ready to begin and waits for a TrialOrder.
struct WaitingTrial {
  std::uint64_t trial = 0;  // of the run, from 1; includes stored ones
  std::string test;
  std::string label;
  std::uint32_t repetition = 0;
};

// Start time of a waiting trial; without a time, keeps it waiting.
struct TrialOrder {
  std::uint64_t trial = 0;
  std::optional<std::int64_t> at_ns;  // the server's clock, since 1970 UTC
};

// Most runs in an answer of /runs: the others follow with `since`, the last one's number.
inline constexpr std::size_t kMaxListedRuns = 1000;

// "running", "stopping", "done", "aborted", "failed"
struct RunState {
  std::int64_t id = 0;
  std::string name;
  std::string file;
  std::string bench;
  std::string profile;
  std::uint64_t seed = 0;
  std::string status;
  std::string created;   // UTC, "2026-02-26T14:03:59Z"
  std::string finished;  // empty while it runs
  std::string software;
  std::uint64_t trials = 0;  // finished and stored
  bool active = false;       // of this server process, now
  std::vector<std::string> ports;
  std::string test;  // of the current trial, while active
  std::uint64_t trial_number = 0;
  std::uint64_t trials_expected = 0;
  std::optional<double> eta_s;
  std::string error;  // why it failed, if that happened under this server
  bool capture = false;
  // Exit code of `plumbline run`, once the run is done: 0, 1 or 4.
  std::optional<int> exit_code;
  // For a run with common starts under this server, by its clock: the latest of them.
  std::optional<WaitingTrial> waiting;       // the trial that waits for the next
  std::optional<std::uint64_t> start_trial;  // which trial began; absent before
  std::optional<std::int64_t> start_at_ns;   // as requested
  std::optional<std::int64_t> started_ns;    // when that trial began
};

// The server's clock, while it handles the request.
struct ClockReading {
  std::int64_t received_ns = 0;  // since 1970 UTC, when the request was received
  std::int64_t answered_ns = 0;  // when the answer was ready
};

// A finished trial as stored in the results database.
struct TrialDocument {
  std::string label;
  std::uint32_t repetition = 0;
  std::string finished;  // UTC
  std::string spec;      // JSON
  std::string result;    // JSON
  bool damaged = false;  // not as it was written
};

// Some of a run's trials, in the order in which they finished.
struct TrialPage {
  std::vector<TrialDocument> trials;
  bool more = false;  // there are others behind these
};

// The body of every answer whose status is not a success.
struct Refusal {
  int status = 0;      // of HTTP; 0: no answer (connection, TLS)
  std::string what;    // one sentence
  std::string where;   // may be empty
  std::string remedy;  // may be empty
  std::vector<ScenarioProblem> problems;
};

// JSON of any of the above; a value is one line. fromJson() leaves `value` unchanged and returns
// false for invalid text: members missing, of another type, or out of range.
template <typename T>
std::string toJson(const T& value);
template <typename T>
bool fromJson(std::string_view text, T& value);

// Reads a request: members with a default may be missing, unknown members are errors. Returns the
// error in words; empty when `value` has been set.
template <typename T>
std::string readRequest(std::string_view text, T& value);

}  // namespace plumbline::control
