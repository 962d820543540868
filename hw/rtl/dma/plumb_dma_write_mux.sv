// One AXI4 write master of two: a (captures) and b (answers of register reads), taken in turns, a
// burst each. Bursts reach the memory's data and answer channels in the order of their addresses,
// so a queue for each channel holds which of the two each burst is of.
//
// Addresses pass through a register, data in the clock in which they are offered; answers are taken
// at once. At most 2^BurstsLog2 bursts are under way.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_dma_write_mux #(
  parameter int unsigned BurstsLog2 = 8
) (
  // Clock and reset (active low)
  input  wire logic         clk_i,
  input  wire logic         rst_ni,

  // AXI4 write slave a: captures
  input  wire logic [63:0]  a_awaddr_i,       // in bytes, a multiple of 64
  input  wire logic [7:0]   a_awlen_i,        // beats of the burst less one
  input  wire logic         a_awvalid_i,
  output      logic         a_awready_o,
  input  wire logic [511:0] a_wdata_i,
  input  wire logic         a_wlast_i,
  input  wire logic         a_wvalid_i,
  output      logic         a_wready_o,
  output      logic         a_bvalid_o,       // pulse: a burst was answered

  // AXI4 write slave b: answers of register reads, bursts of one beat
  input  wire logic [63:0]  b_awaddr_i,       // in bytes, a multiple of 64
  input  wire logic         b_awvalid_i,
  output      logic         b_awready_o,
  input  wire logic [511:0] b_wdata_i,
  input  wire logic         b_wvalid_i,
  output      logic         b_wready_o,
  output      logic         b_bvalid_o,       // pulse: a beat was answered

  // AXI4 write master
  output      logic [63:0]  m_axi_awaddr_o,
  output      logic [7:0]   m_axi_awlen_o,
  output      logic         m_axi_awvalid_o,
  input  wire logic         m_axi_awready_i,
  output      logic [511:0] m_axi_wdata_o,
  output      logic         m_axi_wlast_o,
  output      logic         m_axi_wvalid_o,
  input  wire logic         m_axi_wready_i,
  input  wire logic         m_axi_bvalid_i,
  output      logic         m_axi_bready_o    // always high
);

  `PLUMB_RANGE(plumb_dma_write_mux, BurstsLog2, 1, 30)

  // ---- Addresses ----

  logic free, take_a, take_b, b_was_last_q, data_full, answer_full;

  assign free   = (!m_axi_awvalid_o || m_axi_awready_i) && !data_full && !answer_full;
  assign take_b = free && b_awvalid_i && !(a_awvalid_i && b_was_last_q);
  assign take_a = free && a_awvalid_i && !take_b;

  assign a_awready_o = take_a;
  assign b_awready_o = take_b;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      m_axi_awvalid_o <= 1'b0;
      b_was_last_q    <= 1'b0;
    end else begin
      m_axi_awvalid_o <= take_a || take_b || (m_axi_awvalid_o && !m_axi_awready_i);
      if (take_a || take_b) b_was_last_q <= take_b;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take_a || take_b) begin
      m_axi_awaddr_o <= take_b ? b_awaddr_i : a_awaddr_i;
      m_axi_awlen_o  <= take_b ? 8'd0 : a_awlen_i;
    end
  end

  // ---- Data and answers, each in the order of the addresses ----

  logic data_valid, data_of_b, data_pop, answer_valid, answer_of_b;

  plumb_dma_queue #(
    .Width    (1),
    .DepthLog2(BurstsLog2)
  ) u_data (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .push_i (take_a || take_b),
    .entry_i(take_b),
    .full_o (data_full),
    .valid_o(data_valid),
    .head_o (data_of_b),
    .pop_i  (data_pop)
  );

  plumb_dma_queue #(
    .Width    (1),
    .DepthLog2(BurstsLog2)
  ) u_answers (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .push_i (take_a || take_b),
    .entry_i(take_b),
    .full_o (answer_full),
    .valid_o(answer_valid),
    .head_o (answer_of_b),
    .pop_i  (m_axi_bvalid_i && answer_valid)
  );

  assign m_axi_wdata_o  = data_of_b ? b_wdata_i : a_wdata_i;
  assign m_axi_wlast_o  = data_of_b || a_wlast_i;
  assign m_axi_wvalid_o = data_valid && (data_of_b ? b_wvalid_i : a_wvalid_i);
  assign data_pop       = m_axi_wvalid_o && m_axi_wready_i && m_axi_wlast_o;
  assign a_wready_o     = data_valid && !data_of_b && m_axi_wready_i;
  assign b_wready_o     = data_valid && data_of_b && m_axi_wready_i;

  assign m_axi_bready_o = 1'b1;
  assign a_bvalid_o     = m_axi_bvalid_i && answer_valid && !answer_of_b;
  assign b_bvalid_o     = m_axi_bvalid_i && answer_valid && answer_of_b;

  `PLUMB_ASSERT(AnswerAwaited, m_axi_bvalid_i |-> answer_valid)
  `PLUMB_ASSERT(AddressHeld, m_axi_awvalid_o && !m_axi_awready_i |=> m_axi_awvalid_o &&
                $stable(m_axi_awaddr_o) && $stable(m_axi_awlen_o))
  `PLUMB_ASSERT(DataHeld, m_axi_wvalid_o && !m_axi_wready_i |=> m_axi_wvalid_o &&
                $stable(m_axi_wdata_o) && $stable(m_axi_wlast_o))

endmodule
