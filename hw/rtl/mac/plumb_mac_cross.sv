// Between the card's clock and the clock of a MAC that has one of its own: a shallow FIFO in each
// direction. The two clocks are meant to have the same frequency, within some 100 ppm; their phase
// may be any.
//
// To the MAC: a frame begins when two of its beats are there; one of a single beat a clock after it
// is there, so that frames of every length are delayed by the same. A beat ahead is more than a
// difference of 100 ppm takes away in the longest frame (256 beats), so a MAC that takes a beat in
// every clock finds one in every clock of a frame.
//
// To the card: a beat as soon as it has crossed, 3 to 4 clocks after it left the MAC; which,
// depends on the phase of the two clocks, and stays so for as long as that stays. MACs deliver a
// beat in less than two of three clocks, so the FIFO holds one or two; rx_overflow_o (on the MAC's
// clock) is for a MAC whose clock is far too fast.
`include "plumb_assert.svh"

module plumb_mac_cross #(
  parameter int unsigned TxW = 512 + 64 + 56,  // beside tlast
  parameter int unsigned RxW = 512 + 64 + 56   // beside tlast
) (
  input  wire logic           card_clk_i,
  input  wire logic           card_rst_ni,
  input  wire logic           mac_clk_i,
  input  wire logic           mac_rst_ni,

  input  wire logic           s_tvalid_i,      // from the card
  input  wire logic           s_tlast_i,
  input  wire logic [TxW-1:0] s_beat_i,
  output      logic           s_tready_o,
  output      logic           tx_tvalid_o,     // to the MAC
  output      logic           tx_tlast_o,
  output      logic [TxW-1:0] tx_beat_o,
  input  wire logic           tx_tready_i,

  input  wire logic           rx_tvalid_i,     // from the MAC
  input  wire logic           rx_tlast_i,
  input  wire logic [RxW-1:0] rx_beat_i,
  output      logic           rx_overflow_o,
  output      logic           m_tvalid_o,      // to the card
  output      logic           m_tlast_o,
  output      logic [RxW-1:0] m_beat_o
);

  `PLUMB_RANGE(plumb_mac_cross, TxW, 1, 4096)
  `PLUMB_RANGE(plumb_mac_cross, RxW, 1, 4096)

  localparam int unsigned DepthLog2 = 4;

  // ---- To the MAC ----

  logic               tx_full, tx_valid, tx_last, tx_pop, tx_free, tx_begins, tx_inside_q, tx_seen_q;
  logic [TxW-1:0]     tx_beat;
  logic [DepthLog2:0] tx_level;

  assign s_tready_o = !tx_full;

  plumb_async_fifo #(.W(TxW + 1), .DepthLog2(DepthLog2)) u_tx (
    .w_clk_i  (card_clk_i),
    .w_rst_ni (card_rst_ni),
    .valid_i  (s_tvalid_i),
    .data_i   ({s_tlast_i, s_beat_i}),
    .full_o   (tx_full),
    .r_clk_i  (mac_clk_i),
    .r_rst_ni (mac_rst_ni),
    .pop_i    (tx_pop),
    .valid_o  (tx_valid),
    .data_o   ({tx_last, tx_beat}),
    .level_o  (tx_level)
  );

  assign tx_free   = !tx_tvalid_o || tx_tready_i;
  assign tx_begins = tx_last ? tx_seen_q : tx_level > (DepthLog2+1)'(1);
  assign tx_pop    = tx_free && tx_valid && (tx_inside_q || tx_begins);

  // The beat in front was there in the clock before.
  always_ff @(posedge mac_clk_i or negedge mac_rst_ni) begin
    if (!mac_rst_ni) tx_seen_q <= 1'b0;
    else             tx_seen_q <= tx_level > (DepthLog2+1)'(tx_pop);
  end

  always_ff @(posedge mac_clk_i or negedge mac_rst_ni) begin
    if (!mac_rst_ni) begin
      tx_tvalid_o <= 1'b0;
      tx_inside_q <= 1'b0;
    end else if (tx_free) begin
      tx_tvalid_o <= tx_pop;
      if (tx_pop) tx_inside_q <= !tx_last;
    end
  end

  always_ff @(posedge mac_clk_i) begin
    if (tx_free) {tx_tlast_o, tx_beat_o} <= {tx_last, tx_beat};
  end

  // ---- To the card ----

  logic               rx_full, rx_valid, rx_last;
  logic [RxW-1:0]     rx_beat;
  logic [DepthLog2:0] unused_level;

  assign rx_overflow_o = rx_tvalid_i && rx_full;

  plumb_async_fifo #(.W(RxW + 1), .DepthLog2(DepthLog2)) u_rx (
    .w_clk_i  (mac_clk_i),
    .w_rst_ni (mac_rst_ni),
    .valid_i  (rx_tvalid_i),
    .data_i   ({rx_tlast_i, rx_beat_i}),
    .full_o   (rx_full),
    .r_clk_i  (card_clk_i),
    .r_rst_ni (card_rst_ni),
    .pop_i    (1'b1),
    .valid_o  (rx_valid),
    .data_o   ({rx_last, rx_beat}),
    .level_o  (unused_level)
  );

  always_ff @(posedge card_clk_i or negedge card_rst_ni) begin
    if (!card_rst_ni) m_tvalid_o <= 1'b0;
    else              m_tvalid_o <= rx_valid;
  end

  always_ff @(posedge card_clk_i) {m_tlast_o, m_beat_o} <= {rx_last, rx_beat};

endmodule
