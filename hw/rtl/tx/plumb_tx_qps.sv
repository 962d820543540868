// The queue pair list of a port, and how many frames each queue pair (RoCEv2) or packet delivery
// context (UET) has sent.
//
// An entry of the list says which queue pair a turn belongs to: its number (for UET both PDC
// numbers), its first PSN and its context, which is the place of its count. Several entries may be
// of the same queue pair; that is how it gets a larger share.
//
//   clock   0              1           2                      3
//           pop, entry     count       pair_o, psn_o, ...,    count written
//           read           read        next count
//
// A pop every other clock, also of the same queue pair: the count written last is taken from its
// register.
//
// The table may be read in any clock without a pop, and written while nothing is in here; a row is
// in tbl_row_o two clocks after the read. Writing an entry zeroes the count of its context.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_tx_qps (
  // Clock and reset (active low)
  input  logic         clk_i,
  input  logic         rst_ni,

  // A frame of a flow with a list
  input  logic         pop_valid_i,  // pulse, at most every other clock
  input  logic [11:0]  pop_entry_i,  // with pop_valid_i: the entry whose turn it is

  // The entry, two clocks later
  output logic [31:0]  pair_o,       // destination QP, or SPDCID and DPDCID of UET
  output logic [11:0]  context_o,    // where its frames are counted
  output logic [31:0]  psn_o,        // PSN of this frame
  output logic [47:0]  sent_o,       // frames sent in the context before this one

  // Rows of the list (table 7)
  input  logic         tbl_we_i,     // pulse: write; zeroes the count of the context
  input  logic         tbl_re_i,     // pulse: read
  input  logic [11:0]  tbl_row_i,    // entry, with either pulse
  input  logic [511:0] tbl_wdata_i,  // with tbl_we_i, as in the register map
  output logic [143:0] tbl_row_o     // two clocks after tbl_re_i, with the count
);

  localparam int unsigned EntryW = 12 + 32 + 32;

  // Clock 0: the entry.
  (* ram_style = "block" *)
  logic [EntryW-1:0] list_mem [0:4095];
  logic [EntryW-1:0] entry1_q, entry2_q;
  logic [EntryW-1:0] entry_wdata;

  assign entry_wdata = {tbl_wdata_i[plumb_regs_pkg::QpContextLsb +: 12],
                        tbl_wdata_i[plumb_regs_pkg::QpPsnBaseLsb +: 32],
                        tbl_wdata_i[plumb_regs_pkg::QpPairLsb +: 32]};

  always_ff @(posedge clk_i) begin
    if (tbl_we_i) list_mem[tbl_row_i] <= entry_wdata;
    if (pop_valid_i || tbl_re_i) entry1_q <= list_mem[tbl_re_i ? tbl_row_i : pop_entry_i];
  end

  // Clock 1: the count.
  (* ram_style = "block" *)
  logic [47:0] count_mem [0:4095];
  logic [47:0] count2_q, count3_q;
  logic [11:0] context3_q;
  logic        valid1_q, valid2_q, valid3_q, read1_q;
  logic        written_q;   // context3_q and count3_q hold a context's newest count

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      valid1_q  <= 1'b0;
      valid2_q  <= 1'b0;
      valid3_q  <= 1'b0;
      read1_q   <= 1'b0;
      written_q <= 1'b0;
    end else begin
      valid1_q <= pop_valid_i;
      valid2_q <= valid1_q;
      valid3_q <= valid2_q;
      read1_q  <= tbl_re_i;
      if (tbl_we_i)      written_q <= 1'b0;
      else if (valid2_q) written_q <= 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (tbl_we_i || valid3_q) begin
      count_mem[tbl_we_i ? tbl_wdata_i[plumb_regs_pkg::QpContextLsb +: 12] : context3_q] <=
          tbl_we_i ? 48'd0 : count3_q;
    end
    if (valid1_q || read1_q) count2_q <= count_mem[entry1_q[EntryW-1 -: 12]];
  end

  always_ff @(posedge clk_i) begin
    if (valid1_q || read1_q) entry2_q <= entry1_q;
  end

  // Clock 2.
  logic [31:0] psn_base;
  assign {context_o, psn_base, pair_o} = entry2_q;
  assign sent_o = (written_q && context3_q == context_o) ? count3_q : count2_q;
  assign psn_o  = psn_base + sent_o[31:0];

  always_ff @(posedge clk_i) begin
    if (valid2_q) begin
      context3_q <= context_o;
      count3_q   <= sent_o + 48'd1;
    end
  end

  always_comb begin
    tbl_row_o = '0;
    tbl_row_o[plumb_regs_pkg::QpPairLsb +: 32]    = pair_o;
    tbl_row_o[plumb_regs_pkg::QpContextLsb +: 12] = context_o;
    tbl_row_o[plumb_regs_pkg::QpPsnBaseLsb +: 32] = psn_base;
    tbl_row_o[plumb_regs_pkg::QpSentLsb +: 48]    = sent_o;
  end

  logic unused_row;
  assign unused_row = ^tbl_wdata_i;

  `PLUMB_ASSERT(EveryOtherClock, pop_valid_i |=> !pop_valid_i)
  `PLUMB_ASSERT(ReadsBetweenPops, tbl_re_i |-> !pop_valid_i)
  `PLUMB_ASSERT(WritesWhileIdle, tbl_we_i |-> !pop_valid_i && !valid1_q && !valid2_q && !valid3_q)

endmodule
