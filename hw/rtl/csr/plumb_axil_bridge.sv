// Register access from a clock that always runs (clk_i) to one that may stop (m_clk_i), or whose
// side may be in reset: AXI4-Lite, 32 bit data and 16 bit address, one access at a time; a read and
// a write that wait together take turns.
//
//   s_axil_*     from the host
//   m_axil_*     to the other side, on its clock; its slave is reset by m_rst_ni
//   local_*      registers on clk_i: the blocks of the address space (bits 15:12) that LocalBlocks has
//                a one for. The bus of plumb_axil: a pulse, address and data held, and local_ack_i with
//                local_rdata_i, which must come. What the other side does has no influence on them
//   reachable_o  the other side answers
//   lost_o       one clock: it has stopped doing so
//
// An access of the other side is answered as plumb_register_crossing has it: with the other side's
// response, if that comes within TimeoutClocks of clk_i, or with SLVERR, then or at once.
// None takes longer than TimeoutClocks + 8 clocks from the last handshake of address and data
// to the response, or twice that behind one of the other kind. An address that is not a multiple of
// four and a write without all four byte strobes are refused with SLVERR here.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_axil_bridge #(
  parameter int unsigned TimeoutClocks = 8191,
  parameter logic [15:0] LocalBlocks = 16'h0800   // block mac
) (
  // Clock, reset (active low) of the host
  input  wire logic        clk_i,             // clock that always runs
  input  wire logic        rst_ni,

  // From the host: AXI4-Lite
  input  wire logic [15:0] s_axil_awaddr_i,   // offset in bytes
  input  wire logic        s_axil_awvalid_i,  // write address is there
  output      logic        s_axil_awready_o,  // write address is taken
  input  wire logic [31:0] s_axil_wdata_i,    // word to be written
  input  wire logic [3:0]  s_axil_wstrb_i,    // one bit per byte; all of them are needed
  input  wire logic        s_axil_wvalid_i,   // word is there
  output      logic        s_axil_wready_o,   // word is taken
  output      logic [1:0]  s_axil_bresp_o,    // 0: done, 2: refused (SLVERR)
  output      logic        s_axil_bvalid_o,   // answer to a write is there
  input  wire logic        s_axil_bready_i,   // answer is taken
  input  wire logic [15:0] s_axil_araddr_i,   // offset in bytes
  input  wire logic        s_axil_arvalid_i,  // read address is there
  output      logic        s_axil_arready_o,  // read address is taken
  output      logic [31:0] s_axil_rdata_o,    // word that was read
  output      logic [1:0]  s_axil_rresp_o,    // 0: done, 2: refused (SLVERR)
  output      logic        s_axil_rvalid_o,   // answer to a read is there
  input  wire logic        s_axil_rready_i,   // answer is taken

  // Registers of LocalBlocks, on clk_i
  output      logic [15:2] local_addr_o,      // word address
  output      logic        local_wen_o,       // pulse: write
  output      logic        local_ren_o,       // pulse: read
  output      logic [31:0] local_wdata_o,     // word to be written
  input  wire logic        local_ack_i,       // pulse: the access has ended
  input  wire logic [31:0] local_rdata_i,     // word that was read

  // State of the other side, on clk_i
  output      logic        reachable_o,       // level: the other side answers
  output      logic        lost_o,            // pulse: it has stopped answering

  // Clock, reset (active low) of the other side
  input  wire logic        m_clk_i,           // the other side's clock; may stop
  input  wire logic        m_rst_ni,          // the other side's reset, active low

  // To the other side: AXI4-Lite
  output      logic [15:0] m_axil_awaddr_o,   // offset in bytes
  output      logic        m_axil_awvalid_o,  // write address is there
  input  wire logic        m_axil_awready_i,  // write address is taken
  output      logic [31:0] m_axil_wdata_o,    // word to be written
  output      logic [3:0]  m_axil_wstrb_o,    // one bit per byte; all of them are needed
  output      logic        m_axil_wvalid_o,   // word is there
  input  wire logic        m_axil_wready_i,   // word is taken
  input  wire logic [1:0]  m_axil_bresp_i,    // 0: done, 2: refused (SLVERR)
  input  wire logic        m_axil_bvalid_i,   // answer to a write is there
  output      logic        m_axil_bready_o,   // answer is taken
  output      logic [15:0] m_axil_araddr_o,   // offset in bytes
  output      logic        m_axil_arvalid_o,  // read address is there
  input  wire logic        m_axil_arready_i,  // read address is taken
  input  wire logic [31:0] m_axil_rdata_i,    // word that was read
  input  wire logic [1:0]  m_axil_rresp_i,    // 0: done, 2: refused (SLVERR)
  input  wire logic        m_axil_rvalid_i,   // answer to a read is there
  output      logic        m_axil_rready_o    // answer is taken
);

  `PLUMB_RANGE(plumb_axil_bridge, TimeoutClocks, 1, 1048575)

  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;

  // ---- The host's side ----

  typedef enum logic [1:0] {
    StIdle,
    StLocal,
    StRemote,
    StReply
  } state_e;
  state_e state_q;

  // What has been accepted and not answered yet. A channel's ready is exactly "nothing held".
  logic [15:0]       awaddr_q, araddr_q;
  logic [31:0]       held_wdata_q;
  logic              wstrb_ok_q, is_write_q;
  logic              take_write, take_read, take, good, here, crossed;
  logic [1:0]        crossed_resp;
  logic [15:0]       taken_address;
  logic [31:0]       crossed_rdata;

  // Neither kind can starve the other: when an access has been answered its channel is empty for a
  // clock, so that one of the other kind that waits goes first.
  assign take_write    = !s_axil_awready_o && !s_axil_wready_o;
  assign take_read     = !s_axil_arready_o && !take_write;
  assign take          = state_q == StIdle && (take_write || take_read);
  assign taken_address = take_write ? awaddr_q : araddr_q;
  assign good          = taken_address[1:0] == 2'b00 && (!take_write || wstrb_ok_q);
  assign here          = LocalBlocks[taken_address[15:12]];

  assign local_wdata_o = held_wdata_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      state_q          <= StIdle;
      s_axil_awready_o <= 1'b1;
      s_axil_wready_o  <= 1'b1;
      s_axil_arready_o <= 1'b1;
      s_axil_bvalid_o  <= 1'b0;
      s_axil_bresp_o   <= RespOkay;
      s_axil_rvalid_o  <= 1'b0;
      s_axil_rresp_o   <= RespOkay;
      s_axil_rdata_o   <= '0;
      awaddr_q         <= '0;
      araddr_q         <= '0;
      held_wdata_q     <= '0;
      wstrb_ok_q       <= 1'b0;
      is_write_q       <= 1'b0;
      local_addr_o     <= '0;
      local_wen_o      <= 1'b0;
      local_ren_o      <= 1'b0;
    end else begin
      local_wen_o <= 1'b0;
      local_ren_o <= 1'b0;

      unique case (state_q)
        StIdle: begin
          is_write_q <= take_write;
          if (take) begin
            local_addr_o <= taken_address[15:2];
            local_wen_o  <= good && here && take_write;
            local_ren_o  <= good && here && take_read;
            if (good && here) begin
              state_q <= StLocal;
            end else if (good && reachable_o) begin
              state_q <= StRemote;
            end else begin
              s_axil_bvalid_o <= take_write;
              s_axil_rvalid_o <= take_read;
              s_axil_bresp_o  <= RespSlvErr;
              s_axil_rresp_o  <= RespSlvErr;
              s_axil_rdata_o  <= '0;
              state_q         <= StReply;
            end
          end
        end

        StLocal: if (local_ack_i) begin
          s_axil_bvalid_o <= is_write_q;
          s_axil_rvalid_o <= !is_write_q;
          s_axil_bresp_o  <= RespOkay;
          s_axil_rresp_o  <= RespOkay;
          s_axil_rdata_o  <= local_rdata_i;
          state_q         <= StReply;
        end

        StRemote: if (crossed) begin
          s_axil_bvalid_o <= is_write_q;
          s_axil_rvalid_o <= !is_write_q;
          s_axil_bresp_o  <= crossed_resp;
          s_axil_rresp_o  <= crossed_resp;
          s_axil_rdata_o  <= crossed_rdata;
          state_q         <= StReply;
        end

        default: begin  // StReply
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
      endcase

      if (s_axil_awvalid_i && s_axil_awready_o) begin
        s_axil_awready_o <= 1'b0;
        awaddr_q         <= s_axil_awaddr_i;
      end
      if (s_axil_wvalid_i && s_axil_wready_o) begin
        s_axil_wready_o <= 1'b0;
        held_wdata_q    <= s_axil_wdata_i;
        wstrb_ok_q      <= s_axil_wstrb_i == 4'b1111;
      end
      if (s_axil_arvalid_i && s_axil_arready_o) begin
        s_axil_arready_o <= 1'b0;
        araddr_q         <= s_axil_araddr_i;
      end
    end
  end

  // ---- To the other side ----

  logic        m_req, m_write, m_ack;
  logic        aw_taken_q, w_taken_q, ar_taken_q;
  logic [15:2] m_addr;

  plumb_register_crossing #(
    .TimeoutClocks (TimeoutClocks)
  ) u_crossing (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_i       (state_q == StRemote),
    .write_i     (is_write_q),
    .addr_i      (is_write_q ? awaddr_q[15:2] : araddr_q[15:2]),
    .wdata_i     (held_wdata_q),
    .ack_o       (crossed),
    .resp_o      (crossed_resp),
    .rdata_o     (crossed_rdata),
    .reachable_o (reachable_o),
    .lost_o      (lost_o),
    .m_clk_i     (m_clk_i),
    .m_rst_ni    (m_rst_ni),
    .m_req_o     (m_req),
    .m_write_o   (m_write),
    .m_addr_o    (m_addr),
    .m_wdata_o   (m_axil_wdata_o),
    .m_ack_i     (m_ack),
    .m_resp_i    (m_write ? m_axil_bresp_i : m_axil_rresp_i),
    .m_rdata_i   (m_axil_rdata_i)
  );

  assign m_axil_awaddr_o  = {m_addr, 2'b00};
  assign m_axil_araddr_o  = {m_addr, 2'b00};
  assign m_axil_wstrb_o   = 4'b1111;
  assign m_axil_awvalid_o = m_req && m_write && !aw_taken_q;
  assign m_axil_wvalid_o  = m_req && m_write && !w_taken_q;
  assign m_axil_arvalid_o = m_req && !m_write && !ar_taken_q;
  assign m_axil_bready_o  = m_req && m_write;
  assign m_axil_rready_o  = m_req && !m_write;
  assign m_ack            = m_write ? m_axil_bvalid_i : m_axil_rvalid_i;

  always_ff @(posedge m_clk_i or negedge m_rst_ni) begin
    if (!m_rst_ni) begin
      aw_taken_q <= 1'b0;
      w_taken_q  <= 1'b0;
      ar_taken_q <= 1'b0;
    end else begin
      aw_taken_q <= m_req && !m_ack && (aw_taken_q || (m_axil_awvalid_o && m_axil_awready_i));
      w_taken_q  <= m_req && !m_ack && (w_taken_q || (m_axil_wvalid_o && m_axil_wready_i));
      ar_taken_q <= m_req && !m_ack && (ar_taken_q || (m_axil_arvalid_o && m_axil_arready_i));
    end
  end

  `PLUMB_ASSERT(OneReply, !(s_axil_bvalid_o && s_axil_rvalid_o))
  `PLUMB_ASSERT(ReadReplyHeld, s_axil_rvalid_o && !s_axil_rready_i |=> s_axil_rvalid_o &&
                $stable(s_axil_rdata_o) && $stable(s_axil_rresp_o))
  `PLUMB_ASSERT(WriteReplyHeld, s_axil_bvalid_o && !s_axil_bready_i |=> s_axil_bvalid_o &&
                $stable(s_axil_bresp_o))

endmodule
