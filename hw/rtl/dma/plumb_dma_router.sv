// The register bus between the host, the register loader, the card and the DMA's own registers:
// one access at a time, taken in turns when host and loader both want one.
//
// s_axil_* is the host's side, as plumb_axil; card_* and dma_* lead to a slave each, with common
// address and data (m_axil_*). Offsets of the block dma go to dma_*, all others to card_*; answers
// come back as they are. The loader's accesses (plumb_register_loader) go to the card. An access
// takes three clocks more than its slave alone would.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_dma_router (
  // Clock and reset (active low)
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // AXI4-Lite slave for the host: channels AW, W, B, AR, R
  input  wire logic [15:0] s_axil_awaddr_i,   // offset in bytes
  input  wire logic        s_axil_awvalid_i,
  output      logic        s_axil_awready_o,
  input  wire logic [31:0] s_axil_wdata_i,
  input  wire logic [3:0]  s_axil_wstrb_i,    // one bit per byte
  input  wire logic        s_axil_wvalid_i,
  output      logic        s_axil_wready_o,
  output      logic [1:0]  s_axil_bresp_o,    // 0: good
  output      logic        s_axil_bvalid_o,
  input  wire logic        s_axil_bready_i,
  input  wire logic [15:0] s_axil_araddr_i,   // offset in bytes
  input  wire logic        s_axil_arvalid_i,
  output      logic        s_axil_arready_o,
  output      logic [31:0] s_axil_rdata_o,
  output      logic [1:0]  s_axil_rresp_o,    // 0: good
  output      logic        s_axil_rvalid_o,
  input  wire logic        s_axil_rready_i,

  // Accesses of the register loader
  input  wire logic        load_access_i,     // level, until load_ack_o, with the next three
  input  wire logic        load_read_i,       // 1: read, 0: write
  input  wire logic [15:0] load_offset_i,     // in bytes, of the card
  input  wire logic [31:0] load_value_i,      // of a write
  output      logic        load_ack_o,        // pulse
  output      logic        load_refused_o,    // with load_ack_o: answered with an error
  output      logic [31:0] load_answer_o,     // with load_ack_o: what was read

  // AXI4-Lite master: common to both slaves
  output      logic [15:0] m_axil_addr_o,     // of reads and writes
  output      logic [31:0] m_axil_wdata_o,
  output      logic [3:0]  m_axil_wstrb_o,
  output      logic        m_axil_ready_o,    // for answers of either kind

  // The card
  output      logic        card_awvalid_o,
  input  wire logic        card_awready_i,
  output      logic        card_wvalid_o,
  input  wire logic        card_wready_i,
  input  wire logic [1:0]  card_bresp_i,
  input  wire logic        card_bvalid_i,
  output      logic        card_arvalid_o,
  input  wire logic        card_arready_i,
  input  wire logic [31:0] card_rdata_i,
  input  wire logic [1:0]  card_rresp_i,
  input  wire logic        card_rvalid_i,

  // The DMA's own registers
  output      logic        dma_awvalid_o,
  input  wire logic        dma_awready_i,
  output      logic        dma_wvalid_o,
  input  wire logic        dma_wready_i,
  input  wire logic [1:0]  dma_bresp_i,
  input  wire logic        dma_bvalid_i,
  output      logic        dma_arvalid_o,
  input  wire logic        dma_arready_i,
  input  wire logic [31:0] dma_rdata_i,
  input  wire logic [1:0]  dma_rresp_i,
  input  wire logic        dma_rvalid_i
);

  typedef enum logic [1:0] {
    StIdle,
    StAccess,
    StReply
  } state_e;
  state_e state_q;

  // Of the host, accepted and not answered yet. A channel's ready is exactly "nothing held".
  logic [15:0] awaddr_q, araddr_q;
  logic [31:0] wdata_q;
  logic [3:0]  wstrb_q;

  // The access under way.
  logic is_write_q, is_load_q, load_was_last_q;

  // One register for the value read, by the host or the loader.
  assign load_answer_o = s_axil_rdata_o;

  logic have_write, have_read, take_load, take_write, take_read;
  assign have_write = !s_axil_awready_o && !s_axil_wready_o;
  assign have_read  = !s_axil_arready_o;
  assign take_load  = load_access_i && !load_ack_o &&
                      !(load_was_last_q && (have_write || have_read));
  assign take_write = have_write && !take_load;
  assign take_read  = have_read && !have_write && !take_load;

  logic        answered, own_write, own_read;
  logic [1:0]  response;
  assign answered  = card_bvalid_i || card_rvalid_i || dma_bvalid_i || dma_rvalid_i;
  assign response  = (card_bvalid_i ? card_bresp_i : '0) | (card_rvalid_i ? card_rresp_i : '0) |
                     (dma_bvalid_i ? dma_bresp_i : '0) | (dma_rvalid_i ? dma_rresp_i : '0);
  assign own_write = awaddr_q[15:12] == plumb_regs_pkg::DmaBase[15:12];
  assign own_read  = araddr_q[15:12] == plumb_regs_pkg::DmaBase[15:12];

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      state_q          <= StIdle;
      s_axil_awready_o <= 1'b1;
      s_axil_wready_o  <= 1'b1;
      s_axil_arready_o <= 1'b1;
      s_axil_bvalid_o  <= 1'b0;
      s_axil_bresp_o   <= '0;
      s_axil_rvalid_o  <= 1'b0;
      s_axil_rresp_o   <= '0;
      s_axil_rdata_o   <= '0;
      awaddr_q         <= '0;
      araddr_q         <= '0;
      wdata_q          <= '0;
      wstrb_q          <= '0;
      is_write_q       <= 1'b0;
      is_load_q        <= 1'b0;
      load_was_last_q  <= 1'b0;
      load_ack_o       <= 1'b0;
      load_refused_o   <= 1'b0;
      m_axil_addr_o    <= '0;
      m_axil_wdata_o   <= '0;
      m_axil_wstrb_o   <= '0;
      m_axil_ready_o   <= 1'b0;
      card_awvalid_o   <= 1'b0;
      card_wvalid_o    <= 1'b0;
      card_arvalid_o   <= 1'b0;
      dma_awvalid_o    <= 1'b0;
      dma_wvalid_o     <= 1'b0;
      dma_arvalid_o    <= 1'b0;
    end else begin
      load_ack_o <= 1'b0;

      if (s_axil_awvalid_i && s_axil_awready_o) begin
        s_axil_awready_o <= 1'b0;
        awaddr_q         <= s_axil_awaddr_i;
      end
      if (s_axil_wvalid_i && s_axil_wready_o) begin
        s_axil_wready_o <= 1'b0;
        wdata_q         <= s_axil_wdata_i;
        wstrb_q         <= s_axil_wstrb_i;
      end
      if (s_axil_arvalid_i && s_axil_arready_o) begin
        s_axil_arready_o <= 1'b0;
        araddr_q         <= s_axil_araddr_i;
      end

      if (card_awready_i) card_awvalid_o <= 1'b0;
      if (card_wready_i)  card_wvalid_o  <= 1'b0;
      if (card_arready_i) card_arvalid_o <= 1'b0;
      if (dma_awready_i)  dma_awvalid_o  <= 1'b0;
      if (dma_wready_i)   dma_wvalid_o   <= 1'b0;
      if (dma_arready_i)  dma_arvalid_o  <= 1'b0;

      unique case (state_q)
        StIdle: begin
          if (take_load || take_write || take_read) begin
            state_q         <= StAccess;
            is_load_q       <= take_load;
            is_write_q      <= take_load ? !load_read_i : take_write;
            load_was_last_q <= take_load;
            m_axil_addr_o   <= take_load ? load_offset_i : take_write ? awaddr_q : araddr_q;
            m_axil_wdata_o  <= take_load ? load_value_i : wdata_q;
            m_axil_wstrb_o  <= take_load ? 4'b1111 : wstrb_q;
            m_axil_ready_o  <= 1'b1;
            card_awvalid_o  <= take_load ? !load_read_i : take_write && !own_write;
            card_wvalid_o   <= take_load ? !load_read_i : take_write && !own_write;
            card_arvalid_o  <= take_load ? load_read_i : take_read && !own_read;
            dma_awvalid_o   <= take_write && own_write;
            dma_wvalid_o    <= take_write && own_write;
            dma_arvalid_o   <= take_read && own_read;
          end
        end

        StAccess: begin
          if (answered) begin
            state_q         <= is_load_q ? StIdle : StReply;
            m_axil_ready_o  <= 1'b0;
            load_ack_o      <= is_load_q;
            load_refused_o  <= response != '0;
            s_axil_bvalid_o <= is_write_q && !is_load_q;
            s_axil_rvalid_o <= !is_write_q && !is_load_q;
            s_axil_bresp_o  <= response;
            s_axil_rresp_o  <= response;
            s_axil_rdata_o  <= (card_rvalid_i ? card_rdata_i : '0) |
                               (dma_rvalid_i ? dma_rdata_i : '0);
          end
        end

        StReply: begin
          if (s_axil_bvalid_o && s_axil_bready_i) begin
            s_axil_bvalid_o  <= 1'b0;
            s_axil_awready_o <= 1'b1;
            s_axil_wready_o  <= 1'b1;
            state_q          <= StIdle;
          end
          if (s_axil_rvalid_o && s_axil_rready_i) begin
            s_axil_rvalid_o  <= 1'b0;
            s_axil_arready_o <= 1'b1;
            state_q          <= StIdle;
          end
        end

        default: state_q <= StIdle;
      endcase
    end
  end

  `PLUMB_ASSERT(OneAnswer, $onehot0({card_bvalid_i, card_rvalid_i, dma_bvalid_i, dma_rvalid_i}))
  `PLUMB_ASSERT(AnswerAwaited, answered |-> state_q == StAccess)
  `PLUMB_ASSERT(ReadReplyHeld, s_axil_rvalid_o && !s_axil_rready_i |=> s_axil_rvalid_o &&
                $stable(s_axil_rdata_o) && $stable(s_axil_rresp_o))
  `PLUMB_ASSERT(WriteReplyHeld, s_axil_bvalid_o && !s_axil_bready_i |=> s_axil_bvalid_o &&
                $stable(s_axil_bresp_o))

endmodule
