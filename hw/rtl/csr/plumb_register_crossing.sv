// One register access at a time from a clock that always runs (clk_i) to one that may stop (m_clk_i),
// or whose side may be in reset.
//
//   req_i ... rdata_o   on clk_i: req_i is held, with what the access is, until ack_o. When it falls
//                       before, as in the reset of a processor, the answer is dropped
//   m_*                 the same towards the other side, on its clock; reset by m_rst_ni
//   reachable_o         the other side answers
//   lost_o              one clock: it has stopped doing so
//
// An access is answered
//   - with the other side's answer, if that comes within TimeoutClocks of clk_i, or
//   - with RespSlvErr then, and at once while reachable_o is low.
// TimeoutClocks has to be longer than the other side's slowest answer. An answer is always that of its
// own access. What was refused here may have been carried out, once, if it had reached the other side
// before that stopped; it is finished, or forgotten, before any later access begins.
//
// How. Four levels cross, each through two registers: open (towards the other side: accesses may
// come), request; ready (from there: open has been seen low since its reset), opened, done. The
// other side takes requests while it is open; a side that was reset, or that let an access time
// out, closes, and opens only when the other has followed. So neither can miss what happened to the
// other, whatever their clocks. Address, data and response are still while request and done say so.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_register_crossing #(
  parameter int unsigned TimeoutClocks = 8191
) (
  // Clock, reset (active low) of the side that asks
  input  wire logic        clk_i,           // clock that always runs
  input  wire logic        rst_ni,

  // Accesses, on clk_i
  input  wire logic        req_i,           // level until ack_o: access
  input  wire logic        write_i,         // 1: write, 0: read
  input  wire logic [15:2] addr_i,          // word address
  input  wire logic [31:0] wdata_i,         // word to be written
  output      logic        ack_o,           // pulse: the access has ended
  output      logic [1:0]  resp_o,          // with ack_o, as of AXI. 0: done, 2: refused
  output      logic [31:0] rdata_o,         // with ack_o: word that was read; 0 if it was refused here

  // State of the other side, on clk_i
  output      logic        reachable_o,     // level: the other side answers
  output      logic        lost_o,          // pulse: it has stopped answering

  // Clock, reset (active low) of the other side
  input  wire logic        m_clk_i,         // the other side's clock; may stop
  input  wire logic        m_rst_ni,        // the other side's reset, active low

  // To the other side, on m_clk_i
  output      logic        m_req_o,         // level until m_ack_i: access
  output      logic        m_write_o,       // 1: write, 0: read
  output      logic [15:2] m_addr_o,        // word address
  output      logic [31:0] m_wdata_o,       // word to be written
  input  wire logic        m_ack_i,         // pulse: the access has ended
  input  wire logic [1:0]  m_resp_i,        // with m_ack_i, as of AXI
  input  wire logic [31:0] m_rdata_i        // with m_ack_i: word that was read
);

  `PLUMB_RANGE(plumb_register_crossing, TimeoutClocks, 1, 1048575)

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

  // ---- The side that asks: opening and closing ----

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

  // ---- The side that asks: accesses ----

  logic              sent_q, stale_q, send, answered, ended;
  logic [TimerW-1:0] timer_q;

  // What has been sent is waited for, even when it is no longer asked for: its answer must not be taken
  // for that of the next access.
  assign answered  = sent_q && done;
  assign timed_out = (req_i || sent_q) && timer_q == TimerW'(TimeoutClocks);
  assign ended     = answered || timed_out || !reachable_o;
  assign ack_o     = req_i && !stale_q && ended;
  assign resp_o    = answered && reachable_o ? answer_resp_q : RespSlvErr;
  assign rdata_o   = answered && reachable_o ? answer_data_q : '0;
  // The last request's handshake has to be over before the next one goes out.
  assign send      = req_i && !ended && !sent_q && !done && !request_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      sent_q    <= 1'b0;
      stale_q   <= 1'b0;
      request_q <= 1'b0;
      timer_q   <= '0;
    end else begin
      sent_q    <= (sent_q || send) && !ended;
      stale_q   <= sent_q && !ended && (stale_q || !req_i);
      request_q <= (request_q || send) && !ended;
      timer_q   <= (req_i || sent_q) && !ended ? timer_q + TimerW'(1) : '0;
    end
  end

  // No reset: the other side may look at it for as long as it has seen the request.
  always_ff @(posedge clk_i) begin
    if (send) begin
      write_q   <= write_i;
      address_q <= addr_i;
      wdata_q   <= wdata_i;
    end
  end

  // ---- The other side ----

  logic begin_access, end_access;

  // A closed side finishes what it has begun, and forgets the answer.
  assign begin_access = opened_q && open && request && !done_q && !m_req_o;
  assign end_access   = m_req_o && m_ack_i;

  always_ff @(posedge m_clk_i or negedge m_rst_ni) begin
    if (!m_rst_ni) begin
      ready_q   <= 1'b0;
      opened_q  <= 1'b0;
      done_q    <= 1'b0;
      m_req_o   <= 1'b0;
      m_write_o <= 1'b0;
      m_addr_o  <= '0;
      m_wdata_o <= '0;
    end else begin
      if (!open)              ready_q <= 1'b1;
      if (!open && !m_req_o)  opened_q <= 1'b0;
      else if (open && ready_q && !m_req_o) opened_q <= 1'b1;

      if (begin_access) begin
        m_req_o   <= 1'b1;
        m_write_o <= write_q;
        m_addr_o  <= address_q;
        m_wdata_o <= wdata_q;
      end
      if (end_access) begin
        m_req_o <= 1'b0;
        done_q  <= open && request;
      end
      if (done_q && !request) done_q <= 1'b0;
    end
  end

  // Without reset likewise: the side that asks may have seen that it is done.
  always_ff @(posedge m_clk_i) begin
    if (end_access) begin
      answer_resp_q <= m_resp_i;
      answer_data_q <= m_rdata_i;
    end
  end

  `PLUMB_ASSERT(RequestStill, sent_q && $past(sent_q) |-> $stable(address_q) && $stable(write_q))

endmodule
