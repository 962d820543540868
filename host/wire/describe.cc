#include <fmt/format.h>

#include <iterator>

#include "wire/frame.h"

namespace plumbline::wire {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string_view ecnName(Ecn ecn) {
  switch (ecn) {
    case Ecn::kNotEct:
      return "Not-ECT";
    case Ecn::kEct1:
      return "ECT(1)";
    case Ecn::kEct0:
      return "ECT(0)";
    case Ecn::kCe:
      return "CE";
  }
  return "";
}

// "ok", or both values; empty without a check.
std::string verdict(std::string_view name, const std::optional<CheckVerdict>& check, int digits) {
  if (!check) return {};
  if (check->ok()) return fmt::format(", {} {:0{}x} ok", name, check->received, digits);
  return fmt::format(", {} {:0{}x} WRONG, expected {:0{}x}", name, check->received, digits,
                     check->expected, digits);
}

void describeLayer(Out out, const DecodedFrame&, const OtherNetwork&) {
  (void)out;  // the Ethernet line has its EtherType
}

void describeLayer(Out out, const DecodedFrame& frame, const Ipv4Header& ip) {
  fmt::format_to(out, "IPv4      {} -> {}, DSCP {}, {}, TTL {}, protocol {}, length {}{}{}\n",
                 ip.source.toString(), ip.destination.toString(), ip.dscp, ecnName(ip.ecn), ip.ttl,
                 ip.protocol, ip.total_length, frame.fragment ? ", fragment" : "",
                 verdict("checksum", frame.ipv4_checksum, 4));
}

void describeLayer(Out out, const DecodedFrame&, const Ipv6Header& ip) {
  fmt::format_to(
      out,
      "IPv6      {} -> {}, DSCP {}, {}, flow label {:#07x}, hop limit {}, next header {},"
      " payload {}\n",
      ip.source.toString(), ip.destination.toString(), ip.dscp, ecnName(ip.ecn), ip.flow_label,
      ip.hop_limit, ip.next_header, ip.payload_length);
}

void describeLayer(Out out, const DecodedFrame&, const PfcHeader& pfc) {
  fmt::format_to(out, "PFC      ");
  for (std::size_t priority = 0; priority < pfc.quanta.size(); ++priority) {
    if ((pfc.enabled >> priority & 1U) == 0) continue;
    if (pfc.quanta[priority] == 0) {
      fmt::format_to(out, " priority {}: go on;", priority);
    } else {
      fmt::format_to(out, " priority {}: pause {} quanta;", priority, pfc.quanta[priority]);
    }
  }
  fmt::format_to(out, "\n");
}

void describeLayer(Out out, const DecodedFrame&, const PauseHeader& pause) {
  fmt::format_to(out, "PAUSE     {} quanta\n", pause.quanta);
}

void describeLayer(Out out, const DecodedFrame&, const CcUpdate& update) {
  const std::size_t first = update.message_type == 1 ? 0 : update.consumed.size();
  fmt::format_to(out, "CC_Update credits consumed from VC {}:", first);
  for (const std::uint32_t consumed : update.consumed) fmt::format_to(out, " {}", consumed);
  fmt::format_to(out, "\n");
}

void describeLayer(Out, const DecodedFrame&, const std::monostate&) {}

void describeLayer(Out out, const DecodedFrame& frame, const RoceLayer& roce) {
  const RoceOpcode* opcode = findRoceOpcode(roce.bth.opcode);
  fmt::format_to(out, "BTH       {} ({:#04x}), QP {:#08x}, PSN {}, P_Key {:#06x}, pad {}{}{}{}{}\n",
                 opcode != nullptr ? opcode->name : "unknown opcode", roce.bth.opcode,
                 roce.bth.dest_qp, roce.bth.psn, roce.bth.pkey, roce.bth.pad_count,
                 roce.bth.ack_request ? ", AckReq" : "", roce.bth.fecn ? ", FECN" : "",
                 roce.bth.becn ? ", BECN" : "", verdict("ICRC", frame.icrc, 8));
  if (roce.reth) {
    fmt::format_to(out, "RETH      VA {:#x}, R_Key {:#x}, DMA length {}\n",
                   roce.reth->virtual_address, roce.reth->rkey, roce.reth->dma_length);
  }
  if (roce.aeth) {
    const Aeth& aeth = *roce.aeth;
    switch (aeth.kind()) {
      case AethKind::kAck:
        fmt::format_to(out, "AETH      ACK, credit code {}, MSN {}\n", aeth.code(), aeth.msn);
        break;
      case AethKind::kRnrNak:
        fmt::format_to(out, "AETH      RNR NAK, timer code {}, MSN {}\n", aeth.code(), aeth.msn);
        break;
      case AethKind::kNak:
        fmt::format_to(out, "AETH      NAK, {}, MSN {}\n", nakCodeName(aeth.code()), aeth.msn);
        break;
      case AethKind::kReserved:
        fmt::format_to(out, "AETH      reserved syndrome {:#04x}, MSN {}\n", aeth.syndrome,
                       aeth.msn);
        break;
    }
  }
  if (roce.immediate) fmt::format_to(out, "ImmDt     {:#010x}\n", roce.immediate->value);
  if (roce.ieth) fmt::format_to(out, "IETH      R_Key {:#x}\n", roce.ieth->rkey);
}

std::string target(const PdcTarget& t) {
  return t.syn ? fmt::format("SYN, first PSN {} back", t.psn_offset)
               : fmt::format("to PDC {:#06x}", t.dpdcid);
}

void describePds(Out out, const PdsRequest& pds) {
  fmt::format_to(out, "PSN {}, from PDC {:#06x}, {}, clear {:+}{}{}", pds.psn, pds.spdcid,
                 target(pds.target), pds.clear_psn_offset, pds.ack_request ? ", AckReq" : "",
                 pds.retransmit ? ", retransmission" : "");
  if (pds.cc) fmt::format_to(out, ", credit target {}", pds.cc->credit_target);
}

void describePds(Out out, const PdsAck& pds) {
  fmt::format_to(out, "cumulative PSN {}, {} {:+}, from PDC {:#06x} to {:#06x}{}", pds.cack_psn,
                 pds.probe ? "probe" : "PSN", pds.ack_psn_offset, pds.spdcid, pds.dpdcid,
                 pds.ecn_marked ? ", CE seen" : "");
  if (!pds.cc) return;
  fmt::format_to(out, ", MPR {}, SACK {:+} bitmap {:#018x}", pds.cc->mpr, pds.cc->sack_psn_offset,
                 pds.cc->sack_bitmap);
  if (!pds.ccx_state.empty()) return;
  if (pds.cc->cc_type == PdsAckCc::kNscc) {
    const NsccState state = NsccState::fromBits(pds.cc->state);
    fmt::format_to(out, ", NSCC service time {}, penalty {}, received {} x 256 B, out of order {}",
                   state.service_time, state.rcv_cwnd_pend, state.rcvd_bytes, state.ooo_count);
  } else if (pds.cc->cc_type == PdsAckCc::kCredit) {
    const CreditState state = CreditState::fromBits(pds.cc->state);
    fmt::format_to(out, ", credit {}, out of order {}", state.credit, state.ooo_count);
  }
}

void describePds(Out out, const PdsNack& pds) {
  fmt::format_to(out, "{} ({:#04x}), {} {}, from PDC {:#06x} to {:#06x}", pdsNackName(pds.code),
                 pds.code, pds.rudi ? "packet" : "PSN", pds.psn, pds.spdcid, pds.dpdcid);
}

void describePds(Out out, const PdsControl& pds) {
  fmt::format_to(out, "{}, PSN {}, from PDC {:#06x}, {}, payload {:#010x}",
                 pdsControlName(pds.control_type), pds.psn, pds.spdcid, target(pds.target),
                 pds.payload);
}

void describePds(Out out, const PdsRudi& pds) { fmt::format_to(out, "packet {}", pds.packet_id); }

void describePds(Out out, const PdsUud&) { fmt::format_to(out, "unacknowledged"); }

void describePds(Out out, const PdsTss& pds) {
  fmt::format_to(out, "encrypted, SDI {:#08x}, epoch {}, counter {}", pds.sdi, pds.epoch,
                 pds.counter);
}

void describeSes(Out, const std::monostate&) {}

template <typename Request>
void describeSes(Out out, const Request& ses) {
  fmt::format_to(out, "SES       {} request, job {}, PID {}, index {}, length {}{}{}\n",
                 sesOpcodeName(ses.flags.opcode), ses.address.job_id, ses.address.pid_on_fep,
                 ses.address.resource_index, ses.request_length,
                 ses.flags.start_of_message ? ", SOM" : "",
                 ses.flags.end_of_message ? ", EOM" : "");
}

void describeSes(Out out, const SesResponse& ses) {
  fmt::format_to(out, "SES       response {}, message {}, job {}, length {}\n",
                 sesReturnName(ses.code.return_code), ses.message_id, ses.job_id,
                 ses.modified_length);
}

void describeSes(Out out, const SesResponseData& ses) {
  fmt::format_to(out, "SES       response with data {}, message {}, job {}, {} bytes at {}\n",
                 sesReturnName(ses.code.return_code), ses.message_id, ses.job_id,
                 ses.payload_length, ses.message_offset);
}

void describeSes(Out out, const SesResponseDataSmall& ses) {
  fmt::format_to(out, "SES       small response with data {}, request PSN {}, job {}, {} bytes\n",
                 sesReturnName(ses.code.return_code), ses.original_request_psn, ses.job_id,
                 ses.payload_length);
}

void describeLayer(Out out, const DecodedFrame& frame, const UetLayer& uet) {
  if (uet.entropy) fmt::format_to(out, "Entropy   {:#06x}\n", *uet.entropy);
  fmt::format_to(out, "PDS       {}, ", pdsTypeName(pdsType(uet.pds)));
  std::visit([out](const auto& pds) { describePds(out, pds); }, uet.pds);
  fmt::format_to(out, "{}{}\n", frame.trimmed ? ", trimmed" : "", verdict("CRC", frame.uet_crc, 8));
  std::visit([out](const auto& ses) { describeSes(out, ses); }, uet.ses);
}

}  // namespace

std::string describe(const DecodedFrame& frame) {
  std::string text;
  const Out out = std::back_inserter(text);
  fmt::format_to(out, "Ethernet  {} -> {}, type {:#06x}, {} bytes{}\n",
                 frame.ethernet.source.toString(), frame.ethernet.destination.toString(),
                 frame.vlan ? frame.vlan->ether_type : frame.ethernet.ether_type,
                 frame.bytes.size(), verdict("FCS", frame.fcs, 8));
  if (frame.vlan) {
    fmt::format_to(out, "802.1Q    VID {}, PCP {}{}\n", frame.vlan->vid, frame.vlan->pcp,
                   frame.vlan->dei ? ", DEI" : "");
  }
  std::visit([&](const auto& layer) { describeLayer(out, frame, layer); }, frame.network);
  if (frame.udp) {
    fmt::format_to(out, "UDP       {} -> {}, length {}{}\n", frame.udp->source_port,
                   frame.udp->destination_port, frame.udp->length,
                   verdict("checksum", frame.udp_checksum, 4));
  }
  std::visit([&](const auto& layer) { describeLayer(out, frame, layer); }, frame.transport);
  if (frame.tag) {
    fmt::format_to(out, "Test tag  group {}, row {}, sequence {}, departure {} ps\n",
                   frame.tag->group(), frame.tag->row(), frame.tag->sequence, frame.tag->departure);
  }
  if (!frame.payload.empty()) fmt::format_to(out, "Payload   {} bytes\n", frame.payload.size());
  if (!frame.ok()) {
    fmt::format_to(out, "ERROR     {} (at byte {})\n", decodeErrorName(frame.error),
                   frame.error_offset);
  }
  return text;
}

}  // namespace plumbline::wire
