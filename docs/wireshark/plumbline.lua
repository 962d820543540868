-- Wireshark and tshark: Ultra Ethernet Transport, the link layer's control (LLR, CBFC) and the test
-- tag of Plumbline's frames. See docs/wireshark.md.
--
--   tshark -X lua_script:plumbline.lua -r capture.pcapng
--
-- Layouts: UE specification 1.0.x as in docs/card.md and host/wire/uet_pds.h, uet_ses.h,
-- flow_control.h, test_tag.h. Protocols: uet, uetcbfc, uectlos, plumbline.

-- Fields of a protocol by their names behind the prefix.
local function fields_of(proto, list)
  local fields = {}
  for name, field in pairs(list) do fields[name] = field end
  local all = {}
  for _, field in pairs(fields) do all[#all + 1] = field end
  proto.fields = all
  return fields
end

-- ---------------------------------------------------------------- test tag

local tag_proto = Proto("plumbline", "Plumbline test tag")
local TAG_SIZE = 18
local TAG_MAGIC = 0x504C
local tag = fields_of(tag_proto, {
  magic = ProtoField.uint16("plumbline.magic", "Signature", base.HEX),
  group = ProtoField.uint16("plumbline.group", "Latency group", base.DEC, nil, 0xF800),
  row = ProtoField.uint16("plumbline.flow", "Flow (row of the receiver's table)", base.DEC, nil, 0x07FF),
  sequence = ProtoField.uint64("plumbline.sequence", "Sequence number", base.DEC),
  departure = ProtoField.uint64("plumbline.departure", "Departure (low 48 bits of card time) [ps]", base.DEC),
})

-- Adds the tag at `offset`, if there is one.
local function add_tag(tvb, offset, pinfo, tree)
  if offset + TAG_SIZE > tvb:len() or tvb(offset, 2):uint() ~= TAG_MAGIC then return false end
  local sub = tree:add(tag_proto, tvb(offset, TAG_SIZE))
  sub:add(tag.magic, tvb(offset, 2))
  sub:add(tag.group, tvb(offset + 2, 2))
  sub:add(tag.row, tvb(offset + 2, 2))
  sub:add(tag.sequence, tvb(offset + 4, 8))
  sub:add(tag.departure, tvb(offset + 12, 6))
  local sequence = tvb(offset + 4, 8):uint64()
  local flow = bit.band(tvb(offset + 2, 2):uint(), 0x7FF)
  sub:append_text(", flow " .. flow .. ", sequence " .. tostring(sequence))
  return true
end

-- Extension headers of RoCEv2 by opcode: bytes between the BTH (12 bytes) and the payload, where
-- there is a payload.
local RETH, AETH, IMMEDIATE, IETH = 16, 4, 4, 4
local roce_extension = {
  [0x00] = 0, [0x01] = 0, [0x02] = 0, [0x03] = IMMEDIATE, [0x04] = 0, [0x05] = IMMEDIATE,
  [0x06] = RETH, [0x07] = 0, [0x08] = 0, [0x09] = IMMEDIATE, [0x0A] = RETH,
  [0x0B] = RETH + IMMEDIATE, [0x0D] = AETH, [0x0E] = 0, [0x0F] = AETH, [0x10] = AETH,
  [0x16] = IETH, [0x17] = IETH,
  [0x20] = 0, [0x21] = 0, [0x22] = 0, [0x23] = IMMEDIATE, [0x24] = 0, [0x25] = IMMEDIATE,
  [0x26] = RETH, [0x27] = 0, [0x28] = 0, [0x29] = IMMEDIATE, [0x2A] = RETH,
  [0x2B] = RETH + IMMEDIATE,
}

local UET_PORT = 4793
local ROCE_PORT = 4791

-- Where the UDP payload of an Ethernet frame begins, and its destination port; nil without UDP.
local function udp_payload(tvb)
  if tvb:len() < 14 then return nil end
  local offset = 12
  local ether_type = tvb(offset, 2):uint()
  offset = offset + 2
  if ether_type == 0x8100 and tvb:len() >= offset + 4 then
    ether_type = tvb(offset + 2, 2):uint()
    offset = offset + 4
  end
  if ether_type == 0x0800 and tvb:len() >= offset + 20 then
    if tvb(offset, 1):uint() ~= 0x45 or tvb(offset + 9, 1):uint() ~= 17 then return nil end
    offset = offset + 20
  elseif ether_type == 0x86DD and tvb:len() >= offset + 40 then
    if tvb(offset + 6, 1):uint() ~= 17 then return nil end
    offset = offset + 40
  else
    return nil
  end
  if tvb:len() < offset + 8 then return nil end
  return offset + 8, tvb(offset + 2, 2):uint()
end

-- The tag lies directly behind the transport headers. UET's dissector below finds its own.
function tag_proto.dissector(tvb, pinfo, tree)
  local payload, port = udp_payload(tvb)
  if not payload or port == UET_PORT then return end
  if port == ROCE_PORT then
    if payload + 12 > tvb:len() then return end
    local extension = roce_extension[tvb(payload, 1):uint()]
    if not extension then return end
    payload = payload + 12 + extension
  end
  add_tag(tvb, payload, pinfo, tree)
end
register_postdissector(tag_proto)

-- ---------------------------------------------------------------- UET

local uet_proto = Proto("uet", "Ultra Ethernet Transport")

local pds_types = {
  [1] = "TSS", [2] = "RUD_REQ", [3] = "ROD_REQ", [4] = "RUDI_REQ", [5] = "RUDI_RESP",
  [6] = "UUD_REQ", [7] = "ACK", [8] = "ACK_CC", [9] = "ACK_CCX", [10] = "NACK", [11] = "CP",
  [12] = "NACK_CCX", [13] = "RUD_CC_REQ", [14] = "ROD_CC_REQ",
}
-- Bytes of the whole PDS header. TSS precedes a header that is encrypted.
local pds_sizes = {
  [2] = 12, [3] = 12, [4] = 8, [5] = 8, [6] = 4, [7] = 12, [8] = 32, [9] = 40, [10] = 16,
  [11] = 16, [12] = 32, [13] = 16, [14] = 16,
}
local next_headers = {
  [0] = "none", [1] = "request, small", [2] = "request, medium", [3] = "request, standard",
  [4] = "response", [5] = "response with data", [6] = "response with data, small",
}
local control_types = {
  [0] = "NOOP", [1] = "ACK_REQ", [2] = "CLEAR_CMD", [3] = "CLEAR_REQ", [4] = "CLOSE_CMD",
  [5] = "CLOSE_REQ", [6] = "PROBE", [7] = "CREDIT", [8] = "CREDIT_REQ", [9] = "NEGOTIATION",
}
local nack_codes = {
  [0x01] = "TRIMMED", [0x02] = "TRIMMED_LASTHOP", [0x03] = "TRIMMED_ACK",
  [0x04] = "NO_PDC_AVAIL", [0x05] = "NO_CCC_AVAIL", [0x06] = "NO_BITMAP",
  [0x07] = "NO_PKT_BUFFER", [0x08] = "NO_GTD_DEL_AVAIL", [0x09] = "NO_SES_MSG_AVAIL",
  [0x0A] = "NO_RESOURCE", [0x0B] = "PSN_OOR_WINDOW", [0x0D] = "ROD_OOO", [0x0E] = "INV_DPDCID",
  [0x0F] = "PDC_HDR_MISMATCH", [0x10] = "CLOSING", [0x11] = "CLOSING_IN_ERR",
  [0x12] = "PKT_NOT_RCVD", [0x13] = "GTD_RESP_UNAVAIL", [0x14] = "ACK_WITH_DATA",
  [0x15] = "INVALID_SYN", [0x16] = "PDC_MODE_MISMATCH", [0x17] = "NEW_START_PSN",
  [0x18] = "RCVD_SES_PROCG", [0x19] = "UNEXP_EVENT", [0x1A] = "RCVR_INFER_LOSS",
  [0xFD] = "EXP_NORMAL", [0xFE] = "EXP_ERR", [0xFF] = "EXP_FATAL",
}
local ack_requests = { [0] = "none", [1] = "CLEAR", [2] = "CLOSE", [3] = "reserved" }
local cc_types = { [0] = "NSCC", [1] = "credit" }
local ses_opcodes = {
  [0x00] = "NO_OP", [0x01] = "WRITE", [0x02] = "READ", [0x03] = "ATOMIC",
  [0x04] = "FETCHING_ATOMIC", [0x05] = "SEND", [0x06] = "RENDEZVOUS_SEND",
  [0x07] = "DATAGRAM_SEND", [0x08] = "DEFERRABLE_SEND", [0x09] = "TAGGED_SEND",
  [0x0A] = "RENDEZVOUS_TSEND", [0x0B] = "DEFERRABLE_TSEND", [0x0C] = "DEFERRABLE_RTR",
  [0x0D] = "TSEND_ATOMIC", [0x0E] = "TSEND_FETCH_ATOMIC", [0x0F] = "MSG_ERROR",
}
local ses_response_opcodes = {
  [0] = "default", [1] = "RESPONSE", [2] = "RESPONSE_WITH_DATA", [3] = "NO_RESPONSE",
}
local return_codes = {
  [0x00] = "NULL", [0x01] = "OK", [0x02] = "BAD_GENERATION", [0x03] = "DISABLED",
  [0x04] = "DISABLED_GEN", [0x05] = "NO_MATCH", [0x06] = "UNSUPPORTED_OP",
  [0x07] = "UNSUPPORTED_SIZE", [0x0D] = "HOST_POISONED", [0x0E] = "HOST_UNSUCCESS",
  [0x17] = "PERM", [0x18] = "OP_VIOLATION", [0x19] = "BAD_INDEX", [0x1A] = "BAD_PID",
  [0x1B] = "BAD_JOB_ID", [0x1C] = "BAD_MKEY", [0x1D] = "BAD_ADDR", [0x1E] = "CANCELLED",
  [0x1F] = "UNDELIVERABLE", [0x20] = "UNCOR", [0x21] = "UNCOR_TRNSNT", [0x22] = "TOO_LONG",
  [0x23] = "INITIATOR_ERR", [0x24] = "DROPPED",
}

local pds = {
  type = ProtoField.uint16("uet.pds.type", "Type", base.DEC, pds_types, 0xF800),
  next = ProtoField.uint16("uet.pds.next_hdr", "Next header", base.DEC, next_headers, 0x0780),
  control = ProtoField.uint16("uet.pds.ctl_type", "Control type", base.DEC, control_types, 0x0780),
  rod = ProtoField.bool("uet.pds.flags.rod", "ROD", 16, nil, 0x20),
  marked = ProtoField.bool("uet.pds.flags.m", "ECN marked", 16, nil, 0x20),
  retransmit = ProtoField.bool("uet.pds.flags.retx", "Retransmission", 16, nil, 0x10),
  ack_request = ProtoField.bool("uet.pds.flags.ar", "ACK requested", 16, nil, 0x08),
  probe = ProtoField.bool("uet.pds.flags.p", "Answers a probe", 16, nil, 0x08),
  nack_rudi = ProtoField.bool("uet.pds.flags.nt", "NACK of a RUDI packet", 16, nil, 0x08),
  syn = ProtoField.bool("uet.pds.flags.syn", "SYN", 16, nil, 0x04),
  request = ProtoField.uint16("uet.pds.flags.req", "Request", base.DEC, ack_requests, 0x06),
  clear_psn_offset = ProtoField.int16("uet.pds.clear_psn_offset", "CLEAR_PSN offset", base.DEC),
  psn = ProtoField.uint32("uet.pds.psn", "PSN", base.DEC),
  spdcid = ProtoField.uint16("uet.pds.spdcid", "Source PDC", base.HEX),
  dpdcid = ProtoField.uint16("uet.pds.dpdcid", "Destination PDC", base.HEX),
  pdc_info = ProtoField.uint16("uet.pds.pdc_info", "PDC info", base.HEX, nil, 0xF000),
  psn_offset = ProtoField.uint16("uet.pds.psn_offset", "PSN offset", base.DEC, nil, 0x0FFF),
  ccc_id = ProtoField.uint8("uet.pds.ccc_id", "CCC id", base.DEC),
  credit_target = ProtoField.uint24("uet.pds.credit_target", "Credit target [256 B]", base.DEC),
  ack_psn_offset = ProtoField.int16("uet.pds.ack_psn_offset", "ACK_PSN offset", base.DEC),
  probe_opaque = ProtoField.uint16("uet.pds.probe_opaque", "Probe value", base.HEX),
  cack_psn = ProtoField.uint32("uet.pds.cack_psn", "CACK_PSN", base.DEC),
  cc_type = ProtoField.uint8("uet.pds.cc_type", "CC type", base.DEC, cc_types, 0xF0),
  cc_flags = ProtoField.uint8("uet.pds.cc_flags", "CC flags", base.HEX, nil, 0x0F),
  mpr = ProtoField.uint8("uet.pds.mpr", "MPR [128 PSNs]", base.DEC),
  sack_psn_offset = ProtoField.int16("uet.pds.sack_psn_offset", "SACK_PSN offset", base.DEC),
  sack_bitmap = ProtoField.uint64("uet.pds.sack_bitmap", "SACK bitmap", base.HEX),
  service_time = ProtoField.uint16("uet.pds.nscc.service_time", "Service time [128 ns]", base.DEC),
  restore_cwnd = ProtoField.bool("uet.pds.nscc.rc", "Restore window", 8, nil, 0x80),
  rcv_cwnd_pend = ProtoField.uint8("uet.pds.nscc.rcv_cwnd_pend", "Receiver penalty", base.DEC, nil, 0x7F),
  rcvd_bytes = ProtoField.uint24("uet.pds.nscc.rcvd_bytes", "Received [256 B]", base.DEC),
  credit = ProtoField.uint24("uet.pds.credit.credit", "Credit [256 B]", base.DEC),
  ooo_count = ProtoField.uint16("uet.pds.ooo_count", "Out of order", base.DEC),
  state = ProtoField.bytes("uet.pds.cc_state", "CC state"),
  nack_code = ProtoField.uint8("uet.pds.nack_code", "NACK code", base.HEX, nack_codes),
  vendor_code = ProtoField.uint8("uet.pds.vendor_code", "Vendor code", base.HEX),
  nack_psn = ProtoField.uint32("uet.pds.nack_psn", "NACK PSN", base.DEC),
  packet_id = ProtoField.uint32("uet.pds.pkt_id", "Packet id", base.DEC),
  payload = ProtoField.uint32("uet.pds.payload", "Payload", base.HEX),
}
local ses = {
  opcode = ProtoField.uint8("uet.ses.opcode", "Opcode", base.HEX, ses_opcodes, 0x3F),
  version = ProtoField.uint8("uet.ses.version", "Version", base.DEC, nil, 0xC0),
  dc = ProtoField.bool("uet.ses.flags.dc", "Delivery complete", 8, nil, 0x20),
  ie = ProtoField.bool("uet.ses.flags.ie", "Initiator error", 8, nil, 0x10),
  rel = ProtoField.bool("uet.ses.flags.rel", "Relative addressing", 8, nil, 0x08),
  hd = ProtoField.bool("uet.ses.flags.hd", "Header data", 8, nil, 0x04),
  eom = ProtoField.bool("uet.ses.flags.eom", "End of message", 8, nil, 0x02),
  som = ProtoField.bool("uet.ses.flags.som", "Start of message", 8, nil, 0x01),
  message_id = ProtoField.uint16("uet.ses.message_id", "Message id", base.DEC),
  generation = ProtoField.uint8("uet.ses.ri_generation", "Generation", base.DEC),
  job_id = ProtoField.uint24("uet.ses.job_id", "Job id", base.DEC),
  pid = ProtoField.uint16("uet.ses.pid_on_fep", "PID on FEP", base.DEC, nil, 0x0FFF),
  index = ProtoField.uint16("uet.ses.resource_index", "Resource index", base.DEC, nil, 0x0FFF),
  offset = ProtoField.uint64("uet.ses.buffer_offset", "Buffer offset", base.HEX),
  initiator = ProtoField.uint32("uet.ses.initiator", "Initiator", base.DEC),
  key = ProtoField.uint64("uet.ses.key", "Memory key or match bits", base.HEX),
  header_data = ProtoField.uint64("uet.ses.header_data", "Header data", base.HEX),
  payload_length = ProtoField.uint32("uet.ses.payload_length", "Payload length", base.DEC, nil, 0x3FFF),
  message_offset = ProtoField.uint32("uet.ses.message_offset", "Message offset", base.DEC),
  request_length = ProtoField.uint32("uet.ses.request_length", "Request length", base.DEC),
  short_length = ProtoField.uint16("uet.ses.request_length_short", "Request length", base.DEC, nil, 0x3FFF),
  list = ProtoField.uint8("uet.ses.list", "List", base.DEC, nil, 0xC0),
  response = ProtoField.uint8("uet.ses.response_opcode", "Response", base.DEC, ses_response_opcodes, 0x3F),
  return_code = ProtoField.uint8("uet.ses.return_code", "Return code", base.HEX, return_codes, 0x3F),
  modified_length = ProtoField.uint32("uet.ses.modified_length", "Modified length", base.DEC),
  read_message_id = ProtoField.uint16("uet.ses.read_request_message_id", "Message id of the READ", base.DEC),
  data_length = ProtoField.uint16("uet.ses.data_length", "Payload length", base.DEC, nil, 0x3FFF),
  original_psn = ProtoField.uint32("uet.ses.original_request_psn", "PSN of the request", base.DEC),
}
local uet_payload = ProtoField.bytes("uet.payload", "Payload and UET CRC")
local trimmed = ProtoExpert.new("uet.trimmed", "Trimmed: the IP packet ends before UDP says",
                                expert.group.SEQUENCE, expert.severity.NOTE)
local cut = ProtoExpert.new("uet.cut", "The packet ends within a header",
                            expert.group.MALFORMED, expert.severity.ERROR)
do
  local all = { uet_payload }
  for _, list in ipairs({ pds, ses }) do
    for _, field in pairs(list) do all[#all + 1] = field end
  end
  uet_proto.fields = all
  uet_proto.experts = { trimmed, cut }
end

-- The PDC that a packet names: by its id, or while it is opened by the distance to the first PSN.
local function add_target(tvb, offset, syn, tree)
  if syn then
    tree:add(pds.pdc_info, tvb(offset, 2))
    tree:add(pds.psn_offset, tvb(offset, 2))
  else
    tree:add(pds.dpdcid, tvb(offset, 2))
  end
end

local function add_request(tvb, at, flags, tree, with_cc)
  tree:add(pds.retransmit, tvb(at, 2))
  tree:add(pds.ack_request, tvb(at, 2))
  tree:add(pds.syn, tvb(at, 2))
  tree:add(pds.clear_psn_offset, tvb(at + 2, 2))
  tree:add(pds.psn, tvb(at + 4, 4))
  tree:add(pds.spdcid, tvb(at + 8, 2))
  add_target(tvb, at + 10, bit.band(flags, 0x04) ~= 0, tree)
  if with_cc then
    tree:add(pds.ccc_id, tvb(at + 12, 1))
    tree:add(pds.credit_target, tvb(at + 13, 3))
  end
  return "PSN " .. tvb(at + 4, 4):uint()
end

local function add_ack(tvb, at, flags, tree, kind)
  tree:add(pds.marked, tvb(at, 2))
  tree:add(pds.retransmit, tvb(at, 2))
  tree:add(pds.probe, tvb(at, 2))
  tree:add(pds.request, tvb(at, 2))
  local probe = bit.band(flags, 0x08) ~= 0
  tree:add(probe and pds.probe_opaque or pds.ack_psn_offset, tvb(at + 2, 2))
  tree:add(pds.cack_psn, tvb(at + 4, 4))
  tree:add(pds.spdcid, tvb(at + 8, 2))
  tree:add(pds.dpdcid, tvb(at + 10, 2))
  if kind ~= 7 then
    tree:add(pds.cc_type, tvb(at + 12, 1))
    tree:add(pds.cc_flags, tvb(at + 12, 1))
    tree:add(pds.mpr, tvb(at + 13, 1))
    tree:add(pds.sack_psn_offset, tvb(at + 14, 2))
    tree:add(pds.sack_bitmap, tvb(at + 16, 8))
    local cc_type = bit.rshift(tvb(at + 12, 1):uint(), 4)
    if kind == 9 then
      tree:add(pds.state, tvb(at + 24, 16))
    elseif cc_type == 0 then
      tree:add(pds.service_time, tvb(at + 24, 2))
      tree:add(pds.restore_cwnd, tvb(at + 26, 1))
      tree:add(pds.rcv_cwnd_pend, tvb(at + 26, 1))
      tree:add(pds.rcvd_bytes, tvb(at + 27, 3))
      tree:add(pds.ooo_count, tvb(at + 30, 2))
    elseif cc_type == 1 then
      tree:add(pds.credit, tvb(at + 24, 3))
      tree:add(pds.ooo_count, tvb(at + 30, 2))
    else
      tree:add(pds.state, tvb(at + 24, 8))
    end
  end
  return "CACK_PSN " .. tvb(at + 4, 4):uint()
end

local function add_nack(tvb, at, flags, tree, kind)
  tree:add(pds.marked, tvb(at, 2))
  tree:add(pds.retransmit, tvb(at, 2))
  tree:add(pds.nack_rudi, tvb(at, 2))
  tree:add(pds.nack_code, tvb(at + 2, 1))
  tree:add(pds.vendor_code, tvb(at + 3, 1))
  tree:add(bit.band(flags, 0x08) ~= 0 and pds.packet_id or pds.nack_psn, tvb(at + 4, 4))
  tree:add(pds.spdcid, tvb(at + 8, 2))
  tree:add(pds.dpdcid, tvb(at + 10, 2))
  tree:add(pds.payload, tvb(at + 12, 4))
  if kind == 12 then tree:add(pds.state, tvb(at + 16, 16)) end
  local code = tvb(at + 2, 1):uint()
  return (nack_codes[code] or "reserved") .. ", PSN " .. tvb(at + 4, 4):uint()
end

local function add_control(tvb, at, flags, tree)
  tree:add(pds.rod, tvb(at, 2))
  tree:add(pds.retransmit, tvb(at, 2))
  tree:add(pds.ack_request, tvb(at, 2))
  tree:add(pds.syn, tvb(at, 2))
  tree:add(pds.probe_opaque, tvb(at + 2, 2))
  tree:add(pds.psn, tvb(at + 4, 4))
  tree:add(pds.spdcid, tvb(at + 8, 2))
  add_target(tvb, at + 10, bit.band(flags, 0x04) ~= 0, tree)
  tree:add(pds.payload, tvb(at + 12, 4))
  local kind = bit.band(bit.rshift(tvb(at, 2):uint(), 7), 0xF)
  return (control_types[kind] or "reserved") .. ", PSN " .. tvb(at + 4, 4):uint()
end

local function add_pds(tvb, at, kind, tree)
  local flags = bit.band(tvb(at, 2):uint(), 0x7F)
  if kind == 2 or kind == 3 then return add_request(tvb, at, flags, tree, false) end
  if kind == 13 or kind == 14 then return add_request(tvb, at, flags, tree, true) end
  if kind >= 7 and kind <= 9 then return add_ack(tvb, at, flags, tree, kind) end
  if kind == 10 or kind == 12 then return add_nack(tvb, at, flags, tree, kind) end
  if kind == 11 then return add_control(tvb, at, flags, tree) end
  if kind == 4 or kind == 5 then
    if kind == 5 then tree:add(pds.marked, tvb(at, 2)) end
    tree:add(pds.retransmit, tvb(at, 2))
    tree:add(pds.packet_id, tvb(at + 4, 4))
    return "packet " .. tvb(at + 4, 4):uint()
  end
  return nil  -- UUD has nothing more
end

-- Who is addressed: generation, job, PID and index, at `at`.
local function add_address(tvb, at, tree)
  tree:add(ses.generation, tvb(at, 1))
  tree:add(ses.job_id, tvb(at + 1, 3))
  tree:add(ses.pid, tvb(at + 4, 2))
  tree:add(ses.index, tvb(at + 6, 2))
end

local function add_ses_request(tvb, at, kind, tree)
  tree:add(ses.opcode, tvb(at, 1))
  for _, flag in ipairs({ ses.version, ses.dc, ses.ie, ses.rel, ses.hd, ses.eom, ses.som }) do
    tree:add(flag, tvb(at + 1, 1))
  end
  local flags = tvb(at + 1, 1):uint()
  add_address(tvb, at + 4, tree)
  if kind == 3 then
    tree:add(ses.message_id, tvb(at + 2, 2))
    tree:add(ses.offset, tvb(at + 12, 8))
    tree:add(ses.initiator, tvb(at + 20, 4))
    tree:add(ses.key, tvb(at + 24, 8))
    if bit.band(flags, 0x01) ~= 0 then
      tree:add(ses.header_data, tvb(at + 32, 8))
    else
      tree:add(ses.payload_length, tvb(at + 32, 4))
      tree:add(ses.message_offset, tvb(at + 36, 4))
    end
    tree:add(ses.request_length, tvb(at + 40, 4))
  else
    tree:add(ses.short_length, tvb(at + 2, 2))
    local has_data = kind == 2 and bit.band(flags, 0x04) ~= 0
    tree:add(has_data and ses.header_data or ses.offset, tvb(at + 12, 8))
    if kind == 2 then
      tree:add(ses.initiator, tvb(at + 20, 4))
      tree:add(ses.key, tvb(at + 24, 8))
    end
  end
  return ses_opcodes[bit.band(tvb(at, 1):uint(), 0x3F)] or "reserved"
end

local function add_ses_response(tvb, at, kind, tree)
  tree:add(ses.list, tvb(at, 1))
  tree:add(ses.response, tvb(at, 1))
  tree:add(ses.version, tvb(at + 1, 1))
  tree:add(ses.return_code, tvb(at + 1, 1))
  if kind == 4 then
    tree:add(ses.message_id, tvb(at + 2, 2))
    tree:add(ses.generation, tvb(at + 4, 1))
    tree:add(ses.job_id, tvb(at + 5, 3))
    tree:add(ses.modified_length, tvb(at + 8, 4))
  elseif kind == 5 then
    tree:add(ses.message_id, tvb(at + 2, 2))
    tree:add(ses.job_id, tvb(at + 5, 3))
    tree:add(ses.read_message_id, tvb(at + 8, 2))
    tree:add(ses.data_length, tvb(at + 10, 2))
    tree:add(ses.modified_length, tvb(at + 12, 4))
    tree:add(ses.message_offset, tvb(at + 16, 4))
  else
    tree:add(ses.data_length, tvb(at + 2, 2))
    tree:add(ses.job_id, tvb(at + 5, 3))
    tree:add(ses.original_psn, tvb(at + 8, 4))
  end
  return return_codes[bit.band(tvb(at + 1, 1):uint(), 0x3F)] or "reserved"
end

local ses_sizes = { [1] = 20, [2] = 32, [3] = 44, [4] = 12, [5] = 20, [6] = 12 }

function uet_proto.dissector(tvb, pinfo, tree)
  if tvb:len() < 4 then return 0 end
  local kind = bit.rshift(tvb(0, 2):uint(), 11)
  local name = pds_types[kind]
  local size = pds_sizes[kind]
  if not name then return 0 end
  pinfo.cols.protocol = "UET"
  local root = tree:add(uet_proto, tvb())
  root:append_text(", " .. name)
  local info = name
  if size and size > tvb:len() then
    root:add_proto_expert_info(cut)
    size = nil
  end
  if not size then
    root:add(pds.type, tvb(0, 2))
    pinfo.cols.info = info
    return tvb:len()
  end

  local head = root:add(tvb(0, size), "Packet delivery sublayer: " .. name)
  head:add(pds.type, tvb(0, 2))
  head:add(kind == 11 and pds.control or pds.next, tvb(0, 2))
  local words = add_pds(tvb, 0, kind, head)
  if words then info = info .. ", " .. words end

  local at = size
  local following = kind == 11 and 0 or bit.band(bit.rshift(tvb(0, 2):uint(), 7), 0xF)
  local ses_size = ses_sizes[following]
  if ses_size then
    if at + ses_size > tvb:len() then
      -- A trimmed packet keeps the PDS header and not all of what follows.
      root:add_proto_expert_info(trimmed)
    else
      local body = root:add(tvb(at, ses_size), "Semantic sublayer: " .. next_headers[following])
      local add = following <= 3 and add_ses_request or add_ses_response
      info = info .. ", " .. add(tvb, at, following, body)
      at = at + ses_size
      if at < tvb:len() then
        add_tag(tvb, at, pinfo, root)
        root:add(uet_payload, tvb(at))
      end
    end
  end
  pinfo.cols.info = info
  return tvb:len()
end
DissectorTable.get("udp.port"):add(UET_PORT, uet_proto)

-- UET directly over IP: entropy (16 bits), reserved (16 bits), PDS. No protocol number is assigned;
-- 253 is the experimental one that implementations use. "Decode as" takes another.
local native_proto = Proto("uet.native", "Ultra Ethernet Transport over IP")
local entropy = ProtoField.uint16("uet.entropy", "Entropy", base.HEX)
native_proto.fields = { entropy }
function native_proto.dissector(tvb, pinfo, tree)
  if tvb:len() < 8 then return 0 end
  tree:add(native_proto, tvb(0, 4)):add(entropy, tvb(0, 2))
  return 4 + uet_proto.dissector(tvb(4):tvb(), pinfo, tree)
end
DissectorTable.get("ip.proto"):add(253, native_proto)

-- ---------------------------------------------------------------- CBFC: CC_Update

-- Credit-based flow control. Wireshark's own "CBFC" is class-based flow control: PFC.
local cbfc_proto = Proto("uetcbfc", "UEC credit-based flow control")
local message_types = { [1] = "channels 0 to 15", [2] = "channels 16 to 31" }
local cbfc = {
  opcode = ProtoField.uint16("uetcbfc.opcode", "MAC control opcode", base.HEX),
  cid = ProtoField.uint24("uetcbfc.cid", "Company id", base.HEX),
  message_type = ProtoField.uint8("uetcbfc.type", "CC_Update of", base.DEC, message_types),
  channel = {},
}
do
  local all = { cbfc.opcode, cbfc.cid, cbfc.message_type }
  for channel = 0, 31 do
    cbfc.channel[channel] =
      ProtoField.uint32("uetcbfc.consumed.vc" .. channel, "Channel " .. channel, base.DEC)
    all[#all + 1] = cbfc.channel[channel]
  end
  cbfc_proto.fields = all
end

local ORGANIZATION_OPCODE = 0xFFFE
local COMPANY_ID = 0xFA7ACB
local CC_UPDATE_SIZE = 46
local ether_types = DissectorTable.get("ethertype")
local mac_control = ether_types:get_dissector(0x8808)

function cbfc_proto.dissector(tvb, pinfo, tree)
  local ours = tvb:len() >= CC_UPDATE_SIZE and tvb(0, 2):uint() == ORGANIZATION_OPCODE and
               tvb(2, 3):uint() == COMPANY_ID and message_types[tvb(5, 1):uint()]
  if not ours then
    -- PFC, PAUSE and what others have made.
    -- Frames cut short end its dissector with an error, which is the frame's.
    local dissected, size = pcall(function()
      return mac_control and mac_control:call(tvb, pinfo, tree) or 0
    end)
    if dissected then return size end
    tree:add_expert_info(PI_MALFORMED, PI_ERROR, "Malformed MAC control frame")
    return tvb:len()
  end
  pinfo.cols.protocol = "CBFC"
  pinfo.cols.info = "CC_Update, " .. ours
  local root = tree:add(cbfc_proto, tvb(0, CC_UPDATE_SIZE))
  root:add(cbfc.opcode, tvb(0, 2))
  root:add(cbfc.cid, tvb(2, 3))
  root:add(cbfc.message_type, tvb(5, 1))
  local first = tvb(5, 1):uint() == 1 and 0 or 16
  for i = 0, 15 do
    -- 20 bits each: two channels in five bytes.
    local at = 6 + math.floor(i / 2) * 5
    local range, value
    if i % 2 == 0 then
      range = tvb(at, 3)
      value = bit.rshift(range:uint(), 4)
    else
      range = tvb(at + 2, 3)
      value = bit.band(range:uint(), 0xFFFFF)
    end
    root:add(cbfc.channel[first + i], range, value)
  end
  return CC_UPDATE_SIZE
end
ether_types:add(0x8808, cbfc_proto)

-- ---------------------------------------------------------------- control ordered sets: LLR, CF_Update

-- The eight bytes of a control ordered set, D0 to D7. They travel between frames, so that a capture
-- of Ethernet frames has none; one of link type USER0 (147) may hold one as a packet.
local set_proto = Proto("uectlos", "UEC control ordered set")
local set_types = {
  [0x01] = "LLR_ACK", [0x02] = "LLR_NACK", [0x03] = "LLR_INIT", [0x04] = "LLR_INIT_ECHO",
  [0x10] = "CF_Update",
}
local set = fields_of(set_proto, {
  block = ProtoField.uint8("uectlos.block", "Block type", base.HEX),
  type = ProtoField.uint8("uectlos.type", "Message", base.HEX, set_types),
  code = ProtoField.uint8("uectlos.o_code", "O-code", base.HEX, nil, 0x0F),
  sequence = ProtoField.uint24("uectlos.llr.seq", "Sequence number", base.DEC),
  init_data = ProtoField.uint16("uectlos.llr.init_data", "Init data (high byte first)", base.HEX),
  channel = ProtoField.uint8("uectlos.cf.vc", "Virtual channel", base.DEC, nil, 0xF8),
  freed = ProtoField.uint24("uectlos.cf.freed", "Credits freed", base.DEC),
})

-- A channel and its counter: 5 and 15 bits at the start of three bytes.
local function add_freed(tvb, at, tree)
  tree:add(set.channel, tvb(at, 1))
  local value = bit.band(bit.rshift(tvb(at, 3):uint(), 4), 0x7FFF)
  tree:add(set.freed, tvb(at, 3), value)
end

function set_proto.dissector(tvb, pinfo, tree)
  if tvb:len() < 8 then return 0 end
  local kind = tvb(1, 1):uint()
  pinfo.cols.protocol = "UEC"
  local root = tree:add(set_proto, tvb(0, 8))
  root:append_text(", " .. (set_types[kind] or "unknown"))
  root:add(set.block, tvb(0, 1))
  root:add(set.type, tvb(1, 1))
  root:add(set.code, tvb(4, 1))
  local info = set_types[kind] or "unknown ordered set"
  if kind >= 0x01 and kind <= 0x04 then
    local sequence = bit.rshift(tvb(2, 3):uint(), 4)
    root:add(set.sequence, tvb(2, 3), sequence)
    info = info .. ", sequence " .. sequence
    if kind >= 0x03 then root:add(set.init_data, tvb(5, 2)) end
  elseif kind == 0x10 then
    add_freed(tvb, 2, root)
    add_freed(tvb, 5, root)
  end
  pinfo.cols.info = info
  return 8
end
DissectorTable.get("wtap_encap"):add(wtap.USER0, set_proto)
