// Who has the card's registers: the host behind plumb_axil, or the control processor. One access at a
// time; the host passes without delay while the processor does not ask, and they take turns when both
// do. All outputs but addresses, data and enables of the host are registers or a gate behind them.
//
//   host_*    as plumb_axil has its bus: pulses, address and data held until the answer
//   core_*    as plumb_core has its bus. Refused: addresses beyond the map, stores of less than a
//             word, the block core. An access that no block ends within 4095 clocks is refused too
//   reg_*     to the blocks; reg_ack_i ends an access, whose data go to both masters as they are
//
// Lock (BUS_LOCK, docs/registers.md): the pulses come one clock after the write, with its answer, so
// they are of the master that has the bus. While a master has the lock no access of the other one is
// begun. What it may take at most is less than plumb_axil waits for an answer, so that the host never
// notices but by the delay.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_register_arbiter (
  // Clock, reset (active low)
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // From the host (plumb_axil)
  input  wire logic [15:2] host_addr_i,       // word address
  input  wire logic        host_wen_i,        // pulse: write
  input  wire logic        host_ren_i,        // pulse: read
  input  wire logic [31:0] host_wdata_i,      // word to be written
  output      logic        host_ack_o,        // pulse: the access has ended

  // From the control processor (plumb_core)
  input  wire logic        core_req_i,        // level until core_ack_o: access
  input  wire logic        core_write_i,      // 1: write, 0: read
  input  wire logic [30:2] core_addr_i,       // word address
  input  wire logic [3:0]  core_strobe_i,     // lanes written; all of them are needed
  input  wire logic [31:0] core_wdata_i,      // word to be written
  output      logic        core_ack_o,        // pulse: the access has ended
  output      logic        core_error_o,      // with core_ack_o: it was refused

  // Lock (BUS_LOCK)
  input  wire logic        lock_take_i,       // pulse: the master that has the bus takes the lock
  input  wire logic        lock_release_i,    // pulse: it gives it back
  output      logic        locked_o,          // level: a master has the lock
  output      logic        locked_by_core_o,  // with locked_o: the processor has it
  output      logic        lock_expired_o,    // pulse: it was held for too long
  output      logic        busy_o,            // level: the clock must run

  // To the blocks
  output      logic [15:2] reg_addr_o,        // word address
  output      logic        reg_wen_o,         // pulse: write
  output      logic        reg_ren_o,         // pulse: read
  output      logic [31:0] reg_wdata_o,       // word to be written
  input  wire logic        reg_ack_i          // pulse: the access has ended
);

  localparam logic [11:0] LastClock     = 12'd4095;
  localparam logic [15:0] CoreLockLimit = 16'd2047;
  localparam logic [15:0] HostLockLimit = 16'd65535;

  logic core_q;         // the bus is the processor's
  logic wen_q, ren_q;   // its pulses, and those of a host that had to wait
  logic host_busy_q;    // an access of the host is under way
  logic host_wait_q;    // one has to wait
  logic host_write_q;   // it writes
  logic refuse_q;

  logic host_asks, host_locked_out, core_locked_out, refused, grant;

  assign host_asks       = host_wen_i || host_ren_i;
  assign host_locked_out = locked_o && locked_by_core_o;
  assign core_locked_out = locked_o && !locked_by_core_o;
  assign refused         = core_addr_i[30:16] != '0 || (core_write_i && core_strobe_i != 4'b1111) ||
                           core_addr_i[15:12] == plumb_regs_pkg::CoreBase[15:12];
  assign grant           = core_req_i && !core_q && !refuse_q && !refused && !core_locked_out &&
                           !host_asks && !host_busy_q && !(host_wait_q && !host_locked_out);

  assign reg_addr_o   = core_q ? core_addr_i[15:2] : host_addr_i;
  assign reg_wdata_o  = core_q ? core_wdata_i : host_wdata_i;
  assign reg_wen_o    = wen_q || (host_wen_i && !core_q && !host_locked_out);
  assign reg_ren_o    = ren_q || (host_ren_i && !core_q && !host_locked_out);

  logic [11:0] clocks_q;
  logic        overdue;
  assign overdue      = clocks_q == LastClock;
  assign host_ack_o   = reg_ack_i && !core_q;
  assign core_ack_o   = refuse_q || (core_q && (reg_ack_i || overdue));
  assign core_error_o = refuse_q || !reg_ack_i;
  assign busy_o       = core_req_i || core_q || host_wait_q || locked_o;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      core_q       <= 1'b0;
      wen_q        <= 1'b0;
      ren_q        <= 1'b0;
      host_busy_q  <= 1'b0;
      host_wait_q  <= 1'b0;
      host_write_q <= 1'b0;
      refuse_q     <= 1'b0;
      clocks_q     <= '0;
    end else begin
      wen_q    <= 1'b0;
      ren_q    <= 1'b0;
      refuse_q <= core_req_i && refused && !refuse_q && !core_q;
      clocks_q <= core_q ? clocks_q + 12'd1 : 12'd0;

      if (host_asks && (core_q || host_locked_out)) begin
        host_wait_q  <= 1'b1;
        host_write_q <= host_wen_i;
      end else if (host_asks) begin
        host_busy_q  <= 1'b1;
      end else if (host_ack_o) begin
        host_busy_q  <= 1'b0;
      end

      if (grant) begin
        core_q <= 1'b1;
        wen_q  <= core_write_i;
        ren_q  <= !core_write_i;
      end else if (core_q && (reg_ack_i || overdue)) begin
        core_q <= 1'b0;
      end else if (host_wait_q && !core_q && !host_locked_out) begin
        host_wait_q <= 1'b0;
        host_busy_q <= 1'b1;
        wen_q       <= host_write_q;
        ren_q       <= !host_write_q;
      end
    end
  end

  // ---- Lock ----

  logic [15:0] held_q;   // clocks that it has been held

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      locked_o         <= 1'b0;
      locked_by_core_o <= 1'b0;
      lock_expired_o   <= 1'b0;
      held_q           <= '0;
    end else begin
      lock_expired_o <= locked_o && !lock_release_i &&
                        held_q == (locked_by_core_o ? CoreLockLimit : HostLockLimit);
      held_q         <= locked_o ? held_q + 16'd1 : 16'd0;
      if (lock_release_i || lock_expired_o) begin
        locked_o <= 1'b0;
      end else if (lock_take_i && !locked_o) begin
        locked_o         <= 1'b1;
        locked_by_core_o <= core_q;
      end
    end
  end

  `PLUMB_ASSERT(OneAtATime, wen_q || ren_q |-> !host_asks || core_q || host_locked_out)
  `PLUMB_ASSERT(CoreHolds, core_q && !core_ack_o |=> core_q && $stable(core_addr_i))

endmodule
