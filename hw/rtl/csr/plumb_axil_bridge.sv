// Register access from a clock that always runs (clk_i) to one that may stop (m_clk_i), or whose
// side may be in reset: AXI4-Lite, 32 bit data and 16 bit address, one access at a time; a read and
// a write that wait together take turns.
//
//   s_axil_*     from the host
//   m_axil_*     to the other side, on its clock; its slave is reset by m_rst_ni
//   local_*      registers on clk_i: block LocalBlock of the address space (bits 15:12). A pulse,
//                and local_rdata_i one clock later, as the generated decoders have it. What the
//                other side does has no influence on them.
//   reachable_o  the other side answers
//   lost_o       one clock: it has stopped doing so
//
// An access of the other side is answered
//   - with the other side's response, if that comes within TimeoutClocks of clk_i, or
//   - with SLVERR then, and at once while reachable_o is low.
// No access takes longer than TimeoutClocks + 8 clocks from the last handshake of address and data
// to the response, or twice that behind one of the other kind. TimeoutClocks has to be longer than
// the other side's slowest answer. A response is
// always that of its own access. What was answered with SLVERR may have been carried out, once, if
// it had reached the other side's registers before that stopped; it is finished, or forgotten,
// before any later access begins. An address that is not a multiple of four and a write without all
// four byte strobes are refused with SLVERR here.
//
// How. Four levels cross, each through two registers: open (towards the other side: accesses may
// come), request; ready (from there: open has been seen low since its reset), opened, done. The
// other side takes requests while it is open; a side that was reset, or that let an access time
// out, closes, and opens only when the other has followed. So neither can miss what happened to the
// other, whatever their clocks. Address, data and response are still while request and done say so.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_axil_bridge #(
  parameter int unsigned TimeoutClocks = 8191,
  parameter logic [3:0]  LocalBlock = 4'hB
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

  // Registers of block LocalBlock, on clk_i
  output      logic [11:2] local_addr_o,      // word address within the block
  output      logic        local_wen_o,       // pulse: write
  output      logic        local_ren_o,       // pulse: read
  output      logic [31:0] local_wdata_o,     // word to be written
  input  wire logic [31:0] local_rdata_i,     // word that was read, one clock behind the pulse

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
  localparam int unsigned TimerW = $clog2(TimeoutClocks + 1);

  // ---- What crosses ----

  logic        open_q, request_q;                     // on clk_i
  logic        write_q;
  logic [15:2] address_q;
  logic [31:0] wdata_q;
  logic        ready_q, opened_q, done_q;             // on m_clk_i
  logic [1:0]  answer_resp_q;
  logic [31:0] answer_data_q;
  logic        ready, opened, done, open, request;    // as the other side sees them

  // A level that means "all is as it should be" is not believed until it has been sampled.
  plumb_sync #(.W(3), .Reset(3'b011)) u_to_host (
    .clk_i (clk_i), .rst_ni (rst_ni), .d_i ({ready_q, opened_q, done_q}), .q_o ({ready, opened, done})
  );
  plumb_sync #(.W(2), .Reset(2'b10)) u_to_card (
    .clk_i (m_clk_i), .rst_ni (m_rst_ni), .d_i ({open_q, request_q}), .q_o ({open, request})
  );

  // ---- The host's side: opening and closing ----

  typedef enum logic [1:0] {
    LinkClosed,
    LinkOpening,
    LinkOpen
  } link_e;
  link_e link_q;
  logic  timed_out;

  assign reachable_o = link_q == LinkOpen;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      link_q <= LinkClosed;
      open_q <= 1'b0;
      lost_o <= 1'b0;
    end else begin
      lost_o <= 1'b0;
      unique case (link_q)
        LinkClosed: if (ready && !opened && !done) begin
          open_q <= 1'b1;
          link_q <= LinkOpening;
        end
        LinkOpening: begin
          if (!ready) begin
            open_q <= 1'b0;
            link_q <= LinkClosed;
          end else if (opened) begin
            link_q <= LinkOpen;
          end
        end
        default: if (!ready || !opened || timed_out) begin
          open_q <= 1'b0;
          link_q <= LinkClosed;
          lost_o <= 1'b1;
        end
      endcase
    end
  end

  // ---- The host's side: accesses ----

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
  logic              wstrb_ok_q, is_write_q, sent_q, local_q;
  logic [TimerW-1:0] timer_q;
  logic              take_write, take_read, take, good, here, answered, send;
  logic [15:0]       taken_address;

  // Neither kind can starve the other: when an access has been answered its channel is empty for a
  // clock, so that one of the other kind that waits goes first.
  assign take_write    = !s_axil_awready_o && !s_axil_wready_o;
  assign take_read     = !s_axil_arready_o && !take_write;
  assign take          = state_q == StIdle && (take_write || take_read);
  assign taken_address = take_write ? awaddr_q : araddr_q;
  assign good          = taken_address[1:0] == 2'b00 && (!take_write || wstrb_ok_q);
  assign here          = taken_address[15:12] == LocalBlock;
  assign timed_out     = state_q == StRemote && timer_q == TimerW'(TimeoutClocks);
  assign answered      = state_q == StRemote && sent_q && done;
  assign send          = state_q == StRemote && !sent_q && !done && !request_q;

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
      sent_q           <= 1'b0;
      local_q          <= 1'b0;
      timer_q          <= '0;
      request_q        <= 1'b0;
      local_addr_o     <= '0;
      local_wen_o      <= 1'b0;
      local_ren_o      <= 1'b0;
    end else begin
      local_wen_o <= 1'b0;
      local_ren_o <= 1'b0;

      unique case (state_q)
        StIdle: begin
          timer_q    <= '0;
          sent_q     <= 1'b0;
          local_q    <= 1'b0;
          is_write_q <= take_write;
          if (take) begin
            local_addr_o <= taken_address[11:2];
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

        StLocal: begin
          // The pulse is out in the first clock here; the decoder's answer is there in the second.
          local_q <= 1'b1;
          if (local_q) begin
            s_axil_bvalid_o <= is_write_q;
            s_axil_rvalid_o <= !is_write_q;
            s_axil_bresp_o  <= RespOkay;
            s_axil_rresp_o  <= RespOkay;
            s_axil_rdata_o  <= local_rdata_i;
            state_q         <= StReply;
          end
        end

        StRemote: begin
          timer_q <= timer_q + TimerW'(1);
          // The last request's handshake has to be over before the next one goes out.
          if (send) begin
            sent_q    <= 1'b1;
            request_q <= 1'b1;
          end
          if (answered || timed_out || !reachable_o) begin
            s_axil_bvalid_o <= is_write_q;
            s_axil_rvalid_o <= !is_write_q;
            s_axil_bresp_o  <= answered && reachable_o ? answer_resp_q : RespSlvErr;
            s_axil_rresp_o  <= answered && reachable_o ? answer_resp_q : RespSlvErr;
            s_axil_rdata_o  <= answered && reachable_o ? answer_data_q : '0;
            request_q       <= 1'b0;
            state_q         <= StReply;
          end
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

  // No reset: the other side may look at it for as long as it has seen the request.
  always_ff @(posedge clk_i) begin
    if (send) begin
      write_q   <= is_write_q;
      address_q <= is_write_q ? awaddr_q[15:2] : araddr_q[15:2];
      wdata_q   <= held_wdata_q;
    end
  end

  // ---- The other side ----

  logic access_q, begin_access, end_access;

  // A closed side finishes what it has begun, and forgets the answer.
  assign begin_access = opened_q && open && request && !done_q && !access_q;
  assign end_access   = access_q && ((m_axil_bvalid_i && m_axil_bready_o) ||
                                     (m_axil_rvalid_i && m_axil_rready_o));

  assign m_axil_wstrb_o = 4'b1111;

  always_ff @(posedge m_clk_i or negedge m_rst_ni) begin
    if (!m_rst_ni) begin
      ready_q          <= 1'b0;
      opened_q         <= 1'b0;
      done_q           <= 1'b0;
      access_q         <= 1'b0;
      m_axil_awaddr_o  <= '0;
      m_axil_awvalid_o <= 1'b0;
      m_axil_wdata_o   <= '0;
      m_axil_wvalid_o  <= 1'b0;
      m_axil_bready_o  <= 1'b0;
      m_axil_araddr_o  <= '0;
      m_axil_arvalid_o <= 1'b0;
      m_axil_rready_o  <= 1'b0;
    end else begin
      if (!open)             ready_q <= 1'b1;
      if (!open && !access_q) opened_q <= 1'b0;
      else if (open && ready_q && !access_q) opened_q <= 1'b1;

      if (begin_access) begin
        access_q         <= 1'b1;
        m_axil_awvalid_o <= write_q;
        m_axil_wvalid_o  <= write_q;
        m_axil_bready_o  <= write_q;
        m_axil_arvalid_o <= !write_q;
        m_axil_rready_o  <= !write_q;
        m_axil_awaddr_o  <= {address_q, 2'b00};
        m_axil_araddr_o  <= {address_q, 2'b00};
        m_axil_wdata_o   <= wdata_q;
      end
      if (m_axil_awvalid_o && m_axil_awready_i) m_axil_awvalid_o <= 1'b0;
      if (m_axil_wvalid_o && m_axil_wready_i)   m_axil_wvalid_o  <= 1'b0;
      if (m_axil_arvalid_o && m_axil_arready_i) m_axil_arvalid_o <= 1'b0;
      if (end_access) begin
        access_q        <= 1'b0;
        done_q          <= open && request;
        m_axil_bready_o <= 1'b0;
        m_axil_rready_o <= 1'b0;
      end
      if (done_q && !request) done_q <= 1'b0;
    end
  end

  // Without reset likewise: the host may have seen that it is done.
  always_ff @(posedge m_clk_i) begin
    if (end_access) begin
      answer_resp_q <= write_q ? m_axil_bresp_i : m_axil_rresp_i;
      answer_data_q <= m_axil_rdata_i;
    end
  end

  `PLUMB_ASSERT(OneReply, !(s_axil_bvalid_o && s_axil_rvalid_o))
  `PLUMB_ASSERT(ReadReplyHeld, s_axil_rvalid_o && !s_axil_rready_i |=> s_axil_rvalid_o &&
                $stable(s_axil_rdata_o) && $stable(s_axil_rresp_o))
  `PLUMB_ASSERT(WriteReplyHeld, s_axil_bvalid_o && !s_axil_bready_i |=> s_axil_bvalid_o &&
                $stable(s_axil_bresp_o))

endmodule
