// Writes captured frames of all ports, both directions, as records into a ring in the host's
// memory: AXI4 write master of 512 bits (docs/card.md, "Path to the host's memory").
//
// A record is a header of 64 bytes and the captured bytes, filled up to 64:
//
//   95:0     the frame's descriptor (plumb_capture_tap); 83 also if the frame was cut here
//   111:96   bytes captured
//   119:112  port
//   127:120  0x5A
//   159:128  number of the record, from zero on
//   511:160  zero
//
// Records follow each other in the ring and wrap at its end, in the middle if need be. Those of one
// port and direction are in order; among ports and directions the writer takes turns, a record
// each. It leaves no gaps: a beat every clock while the memory takes them. A record is one burst,
// or several that are cut at 4 KiB; up to 2^BurstsLog2 are under way. A record is begun when the
// ring has room for all of it; until then the frames wait, and when their store is full too the
// taps drop frames and count them. A burst begins every two clocks at most.
//
//   enable_i   high starts the ring at zero with address_i and size_i (both in 4 KiB) as they are
//              then, once everything of the one before has been answered; started_o says when. Low
//              ends it behind the records already begun. While there is no ring frames are taken
//              and thrown away.
//   read_i     64-byte beats of the ring that the host is done with, with read_valid_i
//   written_o  64-byte beats of whole records that the memory has acknowledged; zero from enable_i
//              on until the ring has started
//   write_error_o, mismatch_o   pulses: a write answered with an error; see plumb_capture_fifo
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_capture_writer #(
  parameter int unsigned Ports = 1,
  parameter int unsigned BurstsLog2 = 8
) (
  // Clock and reset (active low)
  input  wire logic                 clk_i,
  input  wire logic                 rst_ni,

  // The ring
  input  wire logic                 enable_i,             // level: there is a ring
  input  wire logic [51:0]          address_i,            // where it begins, in 4 KiB
  input  wire logic [18:0]          size_i,               // its size, in 4 KiB
  output      logic                 started_o,            // pulse: the ring has started
  input  wire logic                 read_valid_i,         // pulse, with read_i
  input  wire logic [25:0]          read_i,               // beats the host is done with, modulo
                                                          // 2^26
  output      logic [57:0]          written_o,            // beats acknowledged by the memory
  output      logic                 write_error_o,        // pulse: a write was answered with an
                                                          // error
  output      logic                 mismatch_o,           // pulse: a frame and its descriptor do
                                                          // not fit

  // Capture streams (plumb_capture_tap), port 0 in the lowest bits: received frames
  input  wire logic [Ports*512-1:0] cap_rx_tdata_i,
  input  wire logic [Ports*64-1:0]  cap_rx_tkeep_i,
  input  wire logic [Ports-1:0]     cap_rx_tvalid_i,
  input  wire logic [Ports-1:0]     cap_rx_tlast_i,
  input  wire logic [Ports-1:0]     cap_rx_desc_valid_i,  // pulse
  input  wire logic [Ports*96-1:0]  cap_rx_desc_i,        // with cap_rx_desc_valid_i

  // The same of sent frames
  input  wire logic [Ports*512-1:0] cap_tx_tdata_i,
  input  wire logic [Ports*64-1:0]  cap_tx_tkeep_i,
  input  wire logic [Ports-1:0]     cap_tx_tvalid_i,
  input  wire logic [Ports-1:0]     cap_tx_tlast_i,
  input  wire logic [Ports-1:0]     cap_tx_desc_valid_i,  // pulse
  input  wire logic [Ports*96-1:0]  cap_tx_desc_i,        // with cap_tx_desc_valid_i
  output      logic [Ports-1:0]     cap_ready_o,          // level, one bit per port, of both
                                                          // directions

  // AXI4 write master: addresses
  output      logic [63:0]          m_axi_awaddr_o,       // in bytes, a multiple of 64
  output      logic [7:0]           m_axi_awlen_o,        // beats of the burst less one
  output      logic                 m_axi_awvalid_o,
  input  wire logic                 m_axi_awready_i,

  // Data, whole beats
  output      logic [511:0]         m_axi_wdata_o,        // byte 0 in bits 7:0
  output      logic                 m_axi_wlast_o,
  output      logic                 m_axi_wvalid_o,
  input  wire logic                 m_axi_wready_i,

  // Answers
  input  wire logic [1:0]           m_axi_bresp_i,        // 0: good
  input  wire logic                 m_axi_bvalid_i,
  output      logic                 m_axi_bready_o        // always high
);

  `PLUMB_RANGE(plumb_capture_writer, Ports, 1, 128)
  `PLUMB_RANGE(plumb_capture_writer, BurstsLog2, 1, 30)

  localparam int unsigned Streams = 2 * Ports;   // 2p received, 2p + 1 sent
  localparam int unsigned InfoW = 122;

  // ---- The ring's life ----

  typedef enum logic [1:0] {
    StOff,
    StOn,
    StEnding
  } state_e;
  state_e state_q;

  logic [51:0] base_q;      // of the ring, in 4 KiB
  logic [18:0] blocks_q;    // its size, in 4 KiB
  logic        flush, resting;

  assign flush = state_q == StOff;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      state_q   <= StOff;
      base_q    <= '0;
      blocks_q  <= '0;
      started_o <= 1'b0;
    end else begin
      started_o <= 1'b0;
      unique case (state_q)
        StOff: begin
          if (enable_i) begin
            state_q   <= StOn;
            base_q    <= address_i;
            blocks_q  <= size_i;
            started_o <= 1'b1;
          end
        end
        StOn:     if (!enable_i) state_q <= StEnding;
        StEnding: if (resting) state_q <= StOff;
        default:  state_q <= StOff;
      endcase
    end
  end

  // ---- Frames ----

  logic [Streams-1:0]       info_valid, take, read, room, mismatch;
  logic [Streams*InfoW-1:0] info;
  logic [Streams*512-1:0]   data;

  for (genvar p = 0; p < Ports; p++) begin : gen_port
    logic ready_q;

    plumb_capture_fifo #(
      .Sent(1'b0)
    ) u_rx (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .flush_i     (flush),
      .beat_i      (cap_rx_tvalid_i[p] && ready_q),
      .tdata_i     (cap_rx_tdata_i[512*p+:512]),
      .tkeep_i     (cap_rx_tkeep_i[64*p+:64]),
      .tlast_i     (cap_rx_tlast_i[p]),
      .desc_valid_i(cap_rx_desc_valid_i[p]),
      .desc_i      (cap_rx_desc_i[96*p+:96]),
      .room_o      (room[2*p]),
      .info_valid_o(info_valid[2*p]),
      .info_o      (info[InfoW*2*p+:InfoW]),
      .take_i      (take[2*p]),
      .read_i      (read[2*p]),
      .data_o      (data[512*2*p+:512]),
      .mismatch_o  (mismatch[2*p])
    );

    plumb_capture_fifo #(
      .Sent(1'b1)
    ) u_tx (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .flush_i     (flush),
      .beat_i      (cap_tx_tvalid_i[p] && ready_q),
      .tdata_i     (cap_tx_tdata_i[512*p+:512]),
      .tkeep_i     (cap_tx_tkeep_i[64*p+:64]),
      .tlast_i     (cap_tx_tlast_i[p]),
      .desc_valid_i(cap_tx_desc_valid_i[p]),
      .desc_i      (cap_tx_desc_i[96*p+:96]),
      .room_o      (room[2*p+1]),
      .info_valid_o(info_valid[2*p+1]),
      .info_o      (info[InfoW*(2*p+1)+:InfoW]),
      .take_i      (take[2*p+1]),
      .read_i      (read[2*p+1]),
      .data_o      (data[512*(2*p+1)+:512]),
      .mismatch_o  (mismatch[2*p+1])
    );

    always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
      if (!rst_ni) ready_q <= 1'b1;
      else         ready_q <= room[2*p] && room[2*p+1];
    end
    assign cap_ready_o[p] = ready_q;
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) mismatch_o <= 1'b0;
    else         mismatch_o <= mismatch != '0;
  end

  // ---- Whose turn it is ----

  // Behind the one that was picked last. A stream that has been picked does not count: its next
  // frame is not known yet. So one stream by itself has a turn every two clocks, as long as the
  // shortest record takes.
  logic [Streams-1:0] picked_q, behind_q, wanted, wanted_behind, chosen;
  logic               pick_valid_q, load, go;

  always_comb begin
    wanted = state_q == StOn ? info_valid & ~(pick_valid_q ? picked_q : '0) : '0;
    wanted_behind = wanted & behind_q;
    // The lowest one that is set.
    chosen = wanted_behind != '0 ? wanted_behind & (~wanted_behind + Streams'(1))
                                 : wanted & (~wanted + Streams'(1));
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      pick_valid_q <= 1'b0;
      picked_q     <= '0;
      behind_q     <= '0;
    end else if (state_q == StOff) begin
      pick_valid_q <= 1'b0;
    end else if (!pick_valid_q || load) begin
      pick_valid_q <= chosen != '0;
      picked_q     <= chosen;
      if (chosen != '0) behind_q <= ~(chosen | (chosen - Streams'(1)));
    end
  end

  assign take = load ? picked_q : '0;

  // ---- The next record, and whether the ring has room for it ----

  logic                  next_valid_q, fits_q;
  logic [Streams-1:0]    next_stream_q;
  logic [InfoW-1:0]      next_info_q, picked_info;
  logic [6:0]            next_port_q, picked_port;
  logic [8:0]            next_beats_q;    // header included
  logic [25:0]           issued_q, consumed_q, free_q;
  logic [8:0]            gone_beats_q;    // of the record begun a clock ago, not in free_q yet
  logic [31:0]           number_q;
  logic                  record_full, burst_full;

  always_comb begin
    picked_info = '0;
    picked_port = '0;
    for (int unsigned s = 0; s < Streams; s++) begin
      if (picked_q[s]) begin
        picked_info = picked_info | info[InfoW*s+:InfoW];
        picked_port = picked_port | 7'(s / 2);
      end
    end
  end

  assign load   = pick_valid_q && (!next_valid_q || go);
  assign go     = next_valid_q && fits_q && !record_full && !burst_full && state_q == StOn;

  logic [9:0] needed;
  assign needed = {1'b0, next_beats_q} + {1'b0, gone_beats_q};

  always_ff @(posedge clk_i) begin
    free_q       <= {1'b0, blocks_q, 6'b0} - issued_q + consumed_q;
    gone_beats_q <= go ? next_beats_q : '0;
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      next_valid_q <= 1'b0;
      fits_q       <= 1'b0;
      issued_q     <= '0;
      consumed_q   <= '0;
      number_q     <= '0;
    end else begin
      next_valid_q <= load || (next_valid_q && !go);
      fits_q       <= next_valid_q && !go && 26'(needed) <= free_q;
      if (read_valid_i) consumed_q <= read_i;
      if (go) begin
        issued_q <= issued_q + 26'(next_beats_q);
        number_q <= number_q + 32'd1;
      end
      // What did not fit when the ring ended is forgotten with the frames in the store.
      if (state_q == StOff) begin
        next_valid_q <= 1'b0;
        fits_q       <= 1'b0;
        issued_q     <= '0;
        consumed_q   <= '0;
        number_q     <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      next_stream_q <= picked_q;
      next_info_q   <= picked_info;
      next_port_q   <= picked_port;
      next_beats_q  <= picked_info[120:112] + 9'd1;
    end
  end

  // ---- Addresses: the record's bursts, none across 4 KiB ----

  // A ring of whole 4 KiB: every border of the ring is one of 4 KiB, too.
  logic        burst_valid, burst_pop, address_free, crossing_q, last_q, sized_q;
  logic [8:0]  burst_record, left_q;
  logic [6:0]  to_border, beats_q;
  logic [5:0]  place_q;        // beats behind the last border
  logic [18:0] block_q, next_block;
  logic        answer_full, issue, idle;

  plumb_dma_queue #(
    .Width    (9),
    .DepthLog2(2)
  ) u_bursts (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .push_i (go),
    .entry_i(next_beats_q),
    .full_o (burst_full),
    .valid_o(burst_valid),
    .head_o (burst_record),
    .pop_i  (burst_pop)
  );

  assign next_block   = plumb_pkg::is_next(32'(block_q), 32'(blocks_q)) ? '0 : block_q + 19'd1;
  assign to_border    = 7'd64 - {1'b0, place_q};
  assign address_free = !m_axi_awvalid_o || m_axi_awready_i;
  assign idle         = left_q == '0;
  assign issue        = sized_q && address_free && !answer_full;
  assign burst_pop    = burst_valid && (idle || (issue && last_q));

  // A burst is measured in one clock and issued in the next at the earliest.
  always_ff @(posedge clk_i) begin
    crossing_q <= left_q >= {2'b0, to_border};
    last_q     <= left_q <= {2'b0, to_border};
    beats_q    <= left_q >= {2'b0, to_border} ? to_border : left_q[6:0];
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      sized_q         <= 1'b0;
      left_q          <= '0;
      place_q         <= '0;
      block_q         <= '0;
      m_axi_awvalid_o <= 1'b0;
    end else begin
      sized_q <= !idle && !issue;
      if (burst_pop)  left_q <= burst_record;
      else if (issue) left_q <= left_q - {2'b0, beats_q};
      if (issue) begin
        place_q <= place_q + beats_q[5:0];
        if (crossing_q) block_q <= next_block;
      end
      if (flush) begin
        place_q <= '0;
        block_q <= '0;
      end
      m_axi_awvalid_o <= issue || (m_axi_awvalid_o && !m_axi_awready_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (issue) begin
      m_axi_awaddr_o <= {base_q + 52'(block_q), place_q, 6'b0};
      m_axi_awlen_o  <= {1'b0, beats_q - 7'd1};
    end
  end

  // ---- Beats: the header, then what was captured ----

  localparam int unsigned HeaderW = 160;
  localparam int unsigned RecordW = HeaderW + Streams + 9;

  logic                record_valid, record_pop;
  logic [RecordW-1:0]  record;
  logic [HeaderW-1:0]  header, record_header, header_q;
  logic [Streams-1:0]  record_stream, stream_q, source_q;
  logic [8:0]          record_beats, rest_q;
  logic [5:0]          at_q;
  logic                step, move, fetched_q, fetched_header_q, fetched_last_q, ends;

  assign header = {number_q, 8'h5A, 1'b0, next_port_q, next_info_q[111:84],
                   next_info_q[83] || next_info_q[121], next_info_q[82:0]};

  plumb_dma_queue #(
    .Width    (RecordW),
    .DepthLog2(2)
  ) u_records (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .push_i (go),
    .entry_i({header, next_stream_q, next_info_q[120:112]}),
    .full_o (record_full),
    .valid_o(record_valid),
    .head_o (record),
    .pop_i  (record_pop)
  );

  assign {record_header, record_stream, record_beats} = record;

  // Store -> its output register -> the bus; each moves on when the next is free.
  assign move       = fetched_q && (!m_axi_wvalid_o || m_axi_wready_i);
  assign step       = (!fetched_q || move) && (rest_q != '0 || record_valid);
  assign record_pop = step && rest_q == '0;
  assign read       = step && rest_q != '0 ? stream_q : '0;
  assign ends       = rest_q == '0 ? record_beats == '0 : rest_q == 9'd1;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      rest_q         <= '0;
      at_q           <= '0;
      fetched_q      <= 1'b0;
      m_axi_wvalid_o <= 1'b0;
    end else begin
      if (record_pop) rest_q <= record_beats;
      else if (step)  rest_q <= rest_q - 9'd1;
      if (flush)     at_q <= '0;
      else if (step) at_q <= at_q + 6'd1;
      fetched_q      <= step || (fetched_q && !move);
      m_axi_wvalid_o <= move || (m_axi_wvalid_o && !m_axi_wready_i);
    end
  end

  logic [511:0] fetched;

  always_comb begin
    fetched = fetched_header_q ? 512'(header_q) : '0;
    for (int unsigned s = 0; s < Streams; s++) begin
      if (source_q[s]) fetched = fetched | data[512*s+:512];
    end
  end

  always_ff @(posedge clk_i) begin
    if (record_pop) begin
      header_q <= record_header;
      stream_q <= record_stream;
    end
    if (step) begin
      fetched_header_q <= record_pop;
      source_q         <= record_pop ? '0 : stream_q;
      fetched_last_q   <= ends || at_q == 6'd63;
    end
    if (move) begin
      m_axi_wdata_o <= fetched;
      m_axi_wlast_o <= fetched_last_q;
    end
  end

  // ---- Answers ----

  logic       answer_valid, answer_last, answered;
  logic [8:0] answer_beats, record_size_q;

  plumb_dma_queue #(
    .Width    (10),
    .DepthLog2(BurstsLog2)
  ) u_answers (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .push_i (issue),
    .entry_i({last_q, record_size_q}),
    .full_o (answer_full),
    .valid_o(answer_valid),
    .head_o ({answer_last, answer_beats}),
    .pop_i  (answered)
  );

  assign m_axi_bready_o = 1'b1;
  assign answered = m_axi_bvalid_i && answer_valid;

  logic [57:0] written_q;

  always_ff @(posedge clk_i) begin
    if (burst_pop) record_size_q <= burst_record;
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      written_q     <= '0;
      write_error_o <= 1'b0;
    end else begin
      write_error_o <= m_axi_bvalid_i && m_axi_bresp_i != '0;
      if (flush && enable_i)            written_q <= '0;
      else if (answered && answer_last) written_q <= written_q + 58'(answer_beats);
    end
  end

  // A ring that has been asked for and has not started shows nothing of the one before, even if it
  // is not wanted any more.
  logic asked, asked_q;
  assign asked     = state_q != StOn && (enable_i || asked_q);
  assign written_o = asked ? '0 : written_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) asked_q <= 1'b0;
    else         asked_q <= asked && !(flush && enable_i);
  end

  assign resting = !burst_valid && idle && !m_axi_awvalid_o && !record_valid && rest_q == '0 &&
                   !fetched_q && !m_axi_wvalid_o && !answer_valid;

  `PLUMB_ASSERT(AnswerAwaited, m_axi_bvalid_i |-> answer_valid)
  `PLUMB_ASSERT(BlockInRing, m_axi_awvalid_o && blocks_q != '0 |-> block_q < blocks_q)
  `PLUMB_ASSERT(AddressHeld, m_axi_awvalid_o && !m_axi_awready_i |=> m_axi_awvalid_o &&
                $stable(m_axi_awaddr_o) && $stable(m_axi_awlen_o))
  `PLUMB_ASSERT(DataHeld, m_axi_wvalid_o && !m_axi_wready_i |=> m_axi_wvalid_o &&
                $stable(m_axi_wdata_o) && $stable(m_axi_wlast_o))

endmodule
