// Between a port of the card and a 100G CMAC of UltraScale+ with its AXI4-Stream user interface
// (LogiCORE cmac_usplus, PG203). The MAC's rx_clk is joined to its gt_txusrclk2, and that is clk_i:
// one clock of 322.265625 MHz for both directions.
//
// How the MAC has to be set: no FCS inserted and none removed, since the card's frames have theirs,
// right or wrong on purpose; ctl_rx_ignore_fcs, so that the error flag means other errors than that;
// no pause handling; custom preamble on.
//
//   card to MAC   two registers, so that ready does not pass through: a beat a clock, one clock late
//                 when nothing waits. The MAC must not be left without a beat inside a frame; the
//                 card leaves no such gaps.
//   MAC to card   RxClocks later, always. In a frame that the MAC has flagged the last bit is
//                 inverted, so that its FCS is wrong and the card counts it as damaged.
//
// Receive timestamp. A first beat comes out of the MAC when the PCS lanes are aligned and its block
// has been moved to byte 0, up to a clock and some skew away from when it arrived. The MAC's own
// timestamp is taken at the gearbox of lane 0. PG203 corrects it by the lane aligner's fill of the
// lane that the frame began on, less that of lane 0, in clocks:
//
//   m_timestamp_o = rx_timestamp_i + (fill[lane] - fill[0]) * FillPs + RxOffsetPs
//
// where lane is the physical lane whose PCS lane number is rx_pcslane_i. rx_timestamp_i has the
// unit of what the MAC is given as its system timer: card time in ps. It is right with a first
// beat.
module plumb_cmac_shim #(
  parameter int unsigned FillPs = plumb_pkg::ClockPeriodNum / plumb_pkg::ClockPeriodDen,
  parameter int          RxOffsetPs = 0
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  // From the card.
  input  logic [511:0]    s_tdata_i,
  input  logic [63:0]     s_tkeep_i,
  input  logic            s_tvalid_i,
  input  logic            s_tlast_i,
  output logic            s_tready_o,
  input  logic [55:0]     s_preamble_i,     // D1 in bits 7:0, the SFD in bits 55:48
  // To the MAC.
  output logic [511:0]    tx_axis_tdata_o,
  output logic [63:0]     tx_axis_tkeep_o,
  output logic            tx_axis_tvalid_o,
  output logic            tx_axis_tlast_o,
  input  logic            tx_axis_tready_i,
  output logic [55:0]     tx_preamble_o,
  // From the MAC.
  input  logic [511:0]    rx_axis_tdata_i,
  input  logic [63:0]     rx_axis_tkeep_i,
  input  logic            rx_axis_tvalid_i,
  input  logic            rx_axis_tlast_i,
  input  logic            rx_axis_terror_i, // tuser: with the last beat
  input  logic [55:0]     rx_preamble_i,
  input  logic [63:0]     rx_timestamp_i,
  input  logic [4:0]      rx_pcslane_i,
  input  logic [20*7-1:0] rx_fill_i,        // per physical lane
  input  logic [20*5-1:0] rx_pcsl_number_i, // the PCS lane that it carries
  // To the card.
  output logic [511:0]    m_tdata_o,
  output logic [63:0]     m_tkeep_o,
  output logic            m_tvalid_o,
  output logic            m_tlast_o,
  output logic [55:0]     m_preamble_o,
  output logic [63:0]     m_timestamp_o
);

  localparam int unsigned RxClocks = 5;

  // ---- To the MAC: what is offered to it, and a beat behind it while it is not taken ----
  localparam int unsigned BeatW = 512 + 64 + 1 + 56;
  logic [BeatW-1:0] beat, out_q, next_q;
  logic             out_valid_q, next_valid_q, leaves;

  assign beat       = {s_preamble_i, s_tlast_i, s_tkeep_i, s_tdata_i};
  assign leaves     = !out_valid_q || tx_axis_tready_i;
  assign s_tready_o = !next_valid_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      out_valid_q  <= 1'b0;
      next_valid_q <= 1'b0;
    end else begin
      if (leaves) out_valid_q <= next_valid_q || s_tvalid_i;
      next_valid_q <= !leaves && (next_valid_q || s_tvalid_i);
    end
  end

  always_ff @(posedge clk_i) begin
    if (leaves)        out_q  <= next_valid_q ? next_q : beat;
    if (!next_valid_q) next_q <= beat;
  end

  assign tx_axis_tvalid_o = out_valid_q;
  assign {tx_preamble_o, tx_axis_tlast_o, tx_axis_tkeep_o, tx_axis_tdata_o} = out_q;

  // ---- From the MAC ----
  localparam int unsigned DelayW = 512 + 64 + 1 + 56 + 64;
  logic [RxClocks-1:0] valid_q;
  logic [DelayW-1:0]   delay1_q, delay2_q, delay3_q, delay4_q;
  logic [511:0]        data;

  always_comb begin
    data = rx_axis_tdata_i;
    for (int unsigned b = 0; b < 64; b++) begin
      if (rx_axis_tlast_i && rx_axis_terror_i && rx_axis_tkeep_i[b] &&
          (b == 63 || !rx_axis_tkeep_i[(b+1)%64])) begin
        data[8*b+7] = !rx_axis_tdata_i[8*b+7];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= {valid_q[RxClocks-2:0], rx_axis_tvalid_i};
  end

  always_ff @(posedge clk_i) begin
    delay1_q <= {rx_timestamp_i, rx_preamble_i, rx_axis_tlast_i, rx_axis_tkeep_i, data};
    delay2_q <= delay1_q;
    delay3_q <= delay2_q;
    delay4_q <= delay3_q;
  end

  // The correction: which lane, its fill, the difference, and that in ps.
  logic [19:0]        lane1_q;
  logic [6:0]         fill, fill2_q;
  logic signed [7:0]  difference3_q;
  logic signed [31:0] correction4_q;
  logic [63:0]        timestamp4;

  always_comb begin
    fill = '0;
    for (int unsigned n = 0; n < 20; n++) begin
      if (lane1_q[n]) fill = fill | rx_fill_i[7*n +: 7];
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned n = 0; n < 20; n++) begin
      lane1_q[n] <= rx_pcsl_number_i[5*n +: 5] == rx_pcslane_i;
    end
    fill2_q       <= fill;
    difference3_q <= {1'b0, fill2_q} - {1'b0, rx_fill_i[6:0]};
    correction4_q <= 32'(difference3_q) * $signed(32'(FillPs));
  end

  assign timestamp4 = delay4_q[DelayW-1 -: 64] + 64'(RxOffsetPs);

  always_ff @(posedge clk_i) begin
    {m_preamble_o, m_tlast_o, m_tkeep_o, m_tdata_o} <= delay4_q[DelayW-65:0];
    m_timestamp_o <= timestamp4 + {{32{correction4_q[31]}}, correction4_q};
  end

  assign m_tvalid_o = valid_q[RxClocks-1];

endmodule
