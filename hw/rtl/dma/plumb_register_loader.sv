// Carries out a list of register accesses that lies in the host's memory, and writes the answers of
// its reads there: AXI4 master of 512 bits, and a master of single register accesses
// (plumb_dma_router).
//
// start_i begins with count_i entries at address_i; ignored while busy_o. An entry has 8 bytes: the
// offset of a register in bits 15:0, bit 16 set for a read, and the value of a write in the upper
// half. They are carried out in order, the next one when the one before has been answered. Up to 32
// beats of the list wait here, fetched in bursts of at most 16 beats that do not cross 4 KiB, so
// that the memory's latency only shows at the start.
//
// The values read go to answers_i, 16 words a beat, in order; the last beat is filled up with
// zeros. Beats are written one by one, and busy_o ends when the memory has acknowledged them all.
//
// A list ends early, with error_o, at an entry whose beat was read with an error, whose offset is
// no multiple of 4 or in the DMA's own block, whose bits 31:17 are not zero, or whose access was
// refused; and before it has begun if address_i or answers_i is no multiple of 64 or count_i not 1
// to 2^20. done_o counts the entries carried out. An answer that the memory refuses sets error_o
// too; the list goes on.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_register_loader (
  // Clock and reset (active low)
  input  wire logic         clk_i,
  input  wire logic         rst_ni,

  // The list
  input  wire logic         start_i,          // pulse; the next three are steady a clock before
  input  wire logic [63:0]  address_i,        // of the list in memory, a multiple of 64
  input  wire logic [63:0]  answers_i,        // where answers go, a multiple of 64
  input  wire logic [31:0]  count_i,          // entries, 1 to 2^20
  output      logic         busy_o,           // level, until all answers are written
  output      logic         error_o,          // level, until the next start: the list failed
  output      logic [20:0]  done_o,           // entries carried out

  // A register access: held until ack_i, which says with refused_i how it ended and brings what a
  // read gives
  output      logic         access_o,         // level, with the next three
  output      logic         read_o,           // 1: read, 0: write
  output      logic [15:0]  offset_o,         // in bytes
  output      logic [31:0]  value_o,          // of a write
  input  wire logic         ack_i,            // pulse
  input  wire logic         refused_i,        // with ack_i: answered with an error
  input  wire logic [31:0]  answer_i,         // with ack_i: what was read

  // AXI4 read master
  output      logic [63:0]  m_axi_araddr_o,   // in bytes, a multiple of 64
  output      logic [7:0]   m_axi_arlen_o,    // beats of the burst less one
  output      logic         m_axi_arvalid_o,
  input  wire logic         m_axi_arready_i,
  input  wire logic [511:0] m_axi_rdata_i,    // byte 0 in bits 7:0
  input  wire logic [1:0]   m_axi_rresp_i,    // 0: good
  input  wire logic         m_axi_rvalid_i,
  output      logic         m_axi_rready_o,   // always high

  // AXI4 write master, bursts of one beat
  output      logic [63:0]  m_axi_awaddr_o,   // in bytes, a multiple of 64
  output      logic         m_axi_awvalid_o,
  input  wire logic         m_axi_awready_i,
  output      logic [511:0] m_axi_wdata_o,    // 16 words, the first in bits 31:0
  output      logic         m_axi_wvalid_o,
  input  wire logic         m_axi_wready_i,
  input  wire logic [1:0]   m_axi_bresp_i,    // 0: good
  input  wire logic         m_axi_bvalid_i    // pulse
);

  localparam int unsigned BurstBeats = 16;
  localparam int unsigned StoreLog2 = 5;
  localparam logic [31:0] MaxCount = 32'h10_0000;

  // ---- Begin and end ----

  logic        begins, bad_start_q, ends;
  logic [20:0] total_q;
  logic        failed;        // the entry at hand cannot be carried out, or was refused
  logic        stopping_q;    // nothing more is carried out; what was asked for still has to come
  logic        nothing_due;
  logic        all_written;   // no answer is left here, or on its way

  always_ff @(posedge clk_i) begin
    bad_start_q <= address_i[5:0] != '0 || answers_i[5:0] != '0 || count_i == '0 ||
                   count_i > MaxCount;
  end

  assign begins = start_i && !busy_o;
  assign ends   = busy_o && stopping_q && nothing_due && all_written;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      busy_o     <= 1'b0;
      error_o    <= 1'b0;
      stopping_q <= 1'b0;
      total_q    <= '0;
    end else begin
      if (begins) begin
        busy_o     <= 1'b1;
        error_o    <= bad_start_q;
        stopping_q <= bad_start_q;
        total_q    <= count_i[20:0];
      end else if (ends) begin
        busy_o     <= 1'b0;
        stopping_q <= 1'b0;
      end else if (busy_o) begin
        error_o    <= error_o || failed || (m_axi_bvalid_i && m_axi_bresp_i != '0);
        stopping_q <= stopping_q || failed || done_o == total_q;
      end
    end
  end

  // ---- Fetching ----

  logic [57:0]        at_q;           // next beat, in 64 bytes
  logic [17:0]        left_q;         // beats to ask for
  logic [StoreLog2:0] held_q, due_q;  // beats asked for: not used up yet, not here yet
  logic [6:0]         to_border;
  logic [4:0]         beats_left, beats_q;
  logic               sized_q;        // beats_q is the next burst
  logic               ask, store_valid, store_pop, store_full;
  logic [512:0]       store_head;

  always_comb begin
    to_border  = 7'd64 - {1'b0, at_q[5:0]};
    beats_left = left_q >= 18'(BurstBeats) ? 5'(BurstBeats) : left_q[4:0];
  end
  assign ask = busy_o && !stopping_q && sized_q && left_q != '0 &&
               held_q <= (StoreLog2+1)'(BurstBeats) && (!m_axi_arvalid_o || m_axi_arready_i);

  always_ff @(posedge clk_i) begin
    beats_q <= {2'b0, beats_left} > to_border ? to_border[4:0] : beats_left;
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      sized_q         <= 1'b0;
      at_q            <= '0;
      left_q          <= '0;
      held_q          <= '0;
      due_q           <= '0;
      m_axi_arvalid_o <= 1'b0;
    end else begin
      sized_q <= !begins && !ask;
      if (begins) begin
        at_q   <= address_i[63:6];
        left_q <= 18'((count_i[20:0] + 21'd7) >> 3);
      end else if (ask) begin
        at_q   <= at_q + 58'(beats_q);
        left_q <= left_q - 18'(beats_q);
      end
      held_q <= held_q + (ask ? (StoreLog2+1)'(beats_q) : '0) - (StoreLog2+1)'(store_pop);
      due_q  <= due_q + (ask ? (StoreLog2+1)'(beats_q) : '0) - (StoreLog2+1)'(m_axi_rvalid_i);
      m_axi_arvalid_o <= ask || (m_axi_arvalid_o && !m_axi_arready_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (ask) begin
      m_axi_araddr_o <= {at_q, 6'b0};
      m_axi_arlen_o  <= {3'b0, beats_q - 5'd1};
    end
  end

  // What was asked for has its place.
  assign m_axi_rready_o = 1'b1;

  plumb_dma_queue #(
    .Width    (513),
    .DepthLog2(StoreLog2)
  ) u_store (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .push_i (m_axi_rvalid_i),
    .entry_i({m_axi_rresp_i != '0, m_axi_rdata_i}),
    .full_o (store_full),
    .valid_o(store_valid),
    .head_o (store_head),
    .pop_i  (store_pop)
  );

  assign nothing_due = due_q == '0 && !store_valid && !access_o;

  // ---- Entry by entry ----

  // An entry is picked in the clock before it may be used: an access takes longer than that anyway.
  logic [2:0]  index_q;
  logic [63:0] entry_q;
  logic        entry_valid_q, entry_error_q;
  logic        load, bad, done, beat_waits;

  assign bad       = entry_error_q || entry_q[31:17] != '0 || entry_q[1:0] != '0 ||
                     entry_q[15:12] == plumb_regs_pkg::DmaBase[15:12];
  assign load      = busy_o && !stopping_q && entry_valid_q && !access_o && !beat_waits &&
                     done_o != total_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) entry_valid_q <= 1'b0;
    else         entry_valid_q <= store_valid && !load && !store_pop && !begins;
  end

  always_ff @(posedge clk_i) begin
    if (store_valid) {entry_error_q, entry_q} <= {store_head[512], store_head[64*index_q+:64]};
  end
  assign done      = access_o && ack_i && !refused_i;
  assign failed    = (load && bad) || (access_o && ack_i && refused_i);
  assign store_pop = store_valid && (stopping_q || (load && index_q == 3'd7));

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      index_q  <= '0;
      access_o <= 1'b0;
      done_o   <= '0;
    end else begin
      if (begins) begin
        index_q <= '0;
        done_o  <= '0;
      end else begin
        if (load) index_q <= index_q + 3'd1;
        if (done) done_o <= done_o + 21'd1;
      end
      access_o <= (load && !bad) || (access_o && !ack_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) {value_o, read_o, offset_o} <= {entry_q[63:32], entry_q[16:0]};
  end

  // ---- Answers ----

  localparam int unsigned UnackedLog2 = 4;

  logic [3:0]           word_q;       // of the beat that is being filled
  logic [UnackedLog2:0] unacked_q;    // beats that the memory has not acknowledged
  logic                 answered, full_q, flush, give;

  // A beat that is full, or the last one, is offered when fewer than 16 are on their way. Nothing
  // is read until it is gone: that is soon, beside the sixteen accesses that fill the next one.
  assign answered   = done && read_o;
  assign flush      = busy_o && stopping_q && nothing_due && word_q != '0;
  assign give       = (full_q || flush) && !unacked_q[UnackedLog2] && !m_axi_awvalid_o &&
                      !m_axi_wvalid_o;
  assign beat_waits = full_q || m_axi_wvalid_o;
  assign all_written = word_q == '0 && !full_q && !m_axi_wvalid_o && unacked_q == '0;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      word_q          <= '0;
      full_q          <= 1'b0;
      unacked_q       <= '0;
      m_axi_awvalid_o <= 1'b0;
      m_axi_wvalid_o  <= 1'b0;
    end else begin
      if (give)          word_q <= '0;
      else if (answered) word_q <= word_q + 4'd1;
      full_q          <= (answered && word_q == 4'd15) || (full_q && !give);
      unacked_q       <= unacked_q + (UnackedLog2+1)'(give) - (UnackedLog2+1)'(m_axi_bvalid_i);
      m_axi_awvalid_o <= give || (m_axi_awvalid_o && !m_axi_awready_i);
      m_axi_wvalid_o  <= give || (m_axi_wvalid_o && !m_axi_wready_i);
    end
  end

  logic [57:0] next_answers_q;   // where the next beat goes, in 64 bytes

  always_ff @(posedge clk_i) begin
    if (begins)    next_answers_q <= answers_i[63:6];
    else if (give) next_answers_q <= next_answers_q + 58'd1;
    if (give) m_axi_awaddr_o <= {next_answers_q, 6'b0};
    // Empty again once it has been taken.
    if (begins || (m_axi_wvalid_o && m_axi_wready_i)) m_axi_wdata_o <= '0;
    for (int unsigned w = 0; w < 16; w++) begin
      if (answered && word_q == 4'(w)) m_axi_wdata_o[32*w+:32] <= answer_i;
    end
  end

  logic unused_full;
  assign unused_full = store_full;

  `PLUMB_ASSERT(BeatDue, m_axi_rvalid_i |-> due_q != '0)
  `PLUMB_ASSERT(AddressHeld, m_axi_arvalid_o && !m_axi_arready_i |=> m_axi_arvalid_o &&
                $stable(m_axi_araddr_o) && $stable(m_axi_arlen_o))
  `PLUMB_ASSERT(AnswerHeld, m_axi_wvalid_o && !m_axi_wready_i |=> m_axi_wvalid_o &&
                $stable(m_axi_wdata_o))
  `PLUMB_ASSERT(AcknowledgementDue, m_axi_bvalid_i |-> unacked_q != '0)

endmodule
