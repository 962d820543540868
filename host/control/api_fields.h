// Members of the API's types, for their JSON.
#pragma once

#include "control/api_types.h"
#include "control/json_fields.h"

namespace plumbline::control {

template <typename Visit, Is<BenchDescription> T>
void fields(const Visit& visit, T& value) {
  visit("name", value.name);
  visit("description", value.description);
  visit("max_ports", value.max_ports);
  visit("line_rate_bps", value.line_rate_bps);
  visit("timestamp_resolution_ps", value.timestamp_resolution_ps);
  visit("simulated_dut", value.simulated_dut);
  visit("observed", value.observed);
}
template <typename Visit, Is<TestDescription> T>
void fields(const Visit& visit, T& value) {
  visit("id", value.id);
  visit("title", value.title);
  visit("on_hosts", value.on_hosts);
}
template <typename Visit, Is<ServerCapabilities> T>
void fields(const Visit& visit, T& value) {
  visit("api", value.api);
  visit("software", value.software);
  visit("machine", value.machine);
  visit("instance", value.instance);
  visit("benches", value.benches);
  visit("tests", value.tests);
  visit("max_body_bytes", value.max_body_bytes);
}
template <typename Visit, Is<PortState> T>
void fields(const Visit& visit, T& value) {
  visit("name", value.name);
  visit("bench", value.bench);
  visit("number", value.number);
  visit("line_rate_bps", value.line_rate_bps);
  visit("state", value.state);
  visit("owner", value.owner);
  visit("run", value.run);
}
template <typename Visit, Is<ReservationRequest> T>
void fields(const Visit& visit, T& value) {
  visit("ports", value.ports);
  visit("owner", value.owner);
  visit("ttl_s", value.ttl_s);
}
template <typename Visit, Is<Reservation> T>
void fields(const Visit& visit, T& value) {
  visit("id", value.id);
  visit("ports", value.ports);
  visit("owner", value.owner);
  visit("expires_ms", value.expires_ms);
}
template <typename Visit, Is<ScenarioListing> T>
void fields(const Visit& visit, T& value) {
  visit("name", value.name);
  visit("file", value.file);
  visit("bench", value.bench);
  visit("tests", value.tests);
}
template <typename Visit, Is<ScenarioText> T>
void fields(const Visit& visit, T& value) {
  visit("name", value.name);
  visit("file", value.file);
  visit("text", value.text);
}
template <typename Visit, Is<ScenarioRequest> T>
void fields(const Visit& visit, T& value) {
  visit("scenario", value.scenario);
  visit("name", value.name);
  visit("bench", value.bench);
  visit("profile", value.profile);
  visit("seed", value.seed);
}
template <typename Visit, Is<ScenarioProblem> T>
void fields(const Visit& visit, T& value) {
  visit("line", value.line);
  visit("column", value.column);
  visit("what", value.what);
  visit("allowed", value.allowed);
}
template <typename Visit, Is<ValidationAnswer> T>
void fields(const Visit& visit, T& value) {
  visit("valid", value.valid);
  visit("problems", value.problems);
  visit("refusals", value.refusals);
  visit("warnings", value.warnings);
}
template <typename Visit, Is<TopologyNode> T>
void fields(const Visit& visit, T& value) {
  visit("name", value.name);
  visit("kind", value.kind);
}
template <typename Visit, Is<TopologyLink> T>
void fields(const Visit& visit, T& value) {
  visit("name", value.name);
  visit("from", value.from);
  visit("to", value.to);
  visit("rate_bps", value.rate_bps);
}
template <typename Visit, Is<TopologyFailure> T>
void fields(const Visit& visit, T& value) {
  visit("element", value.element);
  visit("at_ps", value.at_ps);
  visit("until_ps", value.until_ps);
}
template <typename Visit, Is<TopologyPicture> T>
void fields(const Visit& visit, T& value) {
  visit("description", value.description);
  visit("nodes", value.nodes);
  visit("links", value.links);
  visit("failures", value.failures);
}
template <typename Visit, Is<PlannedFrame> T>
void fields(const Visit& visit, T& value) {
  visit("trial", value.trial);
  visit("stream", value.stream);
  visit("from", value.from);
  visit("to", value.to);
  visit("hex", value.hex);
}
template <typename Visit, Is<PlannedTestAnswer> T>
void fields(const Visit& visit, T& value) {
  visit("id", value.id);
  visit("title", value.title);
  visit("bench", value.bench);
  visit("points", value.points);
  visit("trials", value.trials);
  visit("simulated_ps", value.simulated_ps);
  visit("packet_hops", value.packet_hops);
  visit("expected_s", value.expected_s);
  visit("first_frames", value.first_frames);
}
template <typename Visit, Is<PlanAnswer> T>
void fields(const Visit& visit, T& value) {
  visit("name", value.name);
  visit("bench", value.bench);
  visit("profile", value.profile);
  visit("seed", value.seed);
  visit("ports", value.ports);
  visit("tests", value.tests);
  visit("topology", value.topology);
  visit("files", value.files);
}
template <typename Visit, Is<ClockReading> T>
void fields(const Visit& visit, T& value) {
  visit("received_ns", value.received_ns);
  visit("answered_ns", value.answered_ns);
}
template <typename Visit, Is<TrialDocument> T>
void fields(const Visit& visit, T& value) {
  visit("label", value.label);
  visit("repetition", value.repetition);
  visit("finished", value.finished);
  visit("spec", value.spec);
  visit("result", value.result);
  visit("damaged", value.damaged);
}
template <typename Visit, Is<TrialPage> T>
void fields(const Visit& visit, T& value) {
  visit("trials", value.trials);
  visit("more", value.more);
}
template <typename Visit, Is<CommonStart> T>
void fields(const Visit& visit, T& value) {
  visit("at_ns", value.at_ns);
  visit("hold_s", value.hold_s);
  visit("clock_offset_ns", value.clock_offset_ns);
  visit("clock_uncertainty_ns", value.clock_uncertainty_ns);
}
template <typename Visit, Is<RunRequest> T>
void fields(const Visit& visit, T& value) {
  visit("scenario", value.scenario);
  visit("reservation", value.reservation);
  visit("owner", value.owner);
  visit("capture_port", value.capture_port);
  visit("threads", value.threads);
  visit("resume", value.resume);
  visit("start", value.start);
}
template <typename Visit, Is<WaitingTrial> T>
void fields(const Visit& visit, T& value) {
  visit("trial", value.trial);
  visit("test", value.test);
  visit("label", value.label);
  visit("repetition", value.repetition);
}
template <typename Visit, Is<TrialOrder> T>
void fields(const Visit& visit, T& value) {
  visit("trial", value.trial);
  visit("at_ns", value.at_ns);
}
template <typename Visit, Is<RunState> T>
void fields(const Visit& visit, T& value) {
  visit("id", value.id);
  visit("name", value.name);
  visit("file", value.file);
  visit("bench", value.bench);
  visit("profile", value.profile);
  visit("seed", value.seed);
  visit("status", value.status);
  visit("created", value.created);
  visit("finished", value.finished);
  visit("software", value.software);
  visit("trials", value.trials);
  visit("active", value.active);
  visit("ports", value.ports);
  visit("test", value.test);
  visit("trial_number", value.trial_number);
  visit("trials_expected", value.trials_expected);
  visit("eta_s", value.eta_s);
  visit("error", value.error);
  visit("capture", value.capture);
  visit("exit_code", value.exit_code);
  visit("waiting", value.waiting);
  visit("start_trial", value.start_trial);
  visit("start_at_ns", value.start_at_ns);
  visit("started_ns", value.started_ns);
}
template <typename Visit, Is<Refusal> T>
void fields(const Visit& visit, T& value) {
  visit("status", value.status);
  visit("what", value.what);
  visit("where", value.where);
  visit("remedy", value.remedy);
  visit("problems", value.problems);
}

}  // namespace plumbline::control
