// Control and status registers, traps and interrupts (docs/core.md has the list).
//
// A register is selected a clock before it is used: select_i takes number_i. From the next clock on
// rdata_o has its value, exists_o and fixed_o say what it is; write_i writes wdata_i to it. trap_i
// and mret_i do what a trap and MRET do to mstatus, mepc, mcause and mtval. Of write_i, trap_i and
// mret_i one at a time.
module plumb_core_csr (
  // Clock, reset (active low)
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  input  wire logic        select_i,       // take number_i
  input  wire logic [11:0] number_i,       // of the register used from the next clock on
  output      logic        exists_o,       // there is such a register
  output      logic        fixed_o,        // writing it is illegal
  output      logic [31:0] rdata_o,        // its value
  input  wire logic        write_i,        // write wdata_i to it
  input  wire logic [31:0] wdata_i,        // the new value

  input  wire logic        trap_i,         // a trap is taken
  input  wire logic        trap_irq_i,     // it is an interrupt
  input  wire logic [3:0]  trap_cause_i,   // exception code
  input  wire logic [31:0] trap_value_i,   // for mtval
  input  wire logic [31:2] trap_pc_i,      // for mepc
  input  wire logic        mret_i,         // MRET is executed
  output      logic [31:2] mtvec_o,        // where traps go
  output      logic [31:2] mepc_o,         // where MRET goes

  input  wire logic        timer_irq_i,    // level of the timer's interrupt
  input  wire logic        ext_irq_i,      // level of the external interrupt
  output      logic        irq_o,          // an interrupt is to be taken
  output      logic        irq_ext_o,      // it is the external one
  output      logic        wake_o,         // an interrupt enabled in mie is pending

  input  wire logic        count_clock_i,  // this clock counts in mcycle
  input  wire logic        count_instr_i,  // an instruction retires
  input  wire logic        debug_i,        // the debugger's register 0x7B2 is there
  input  wire logic [31:0] debug_data_i,   // what reading it gives
  output      logic        debug_we_o,     // it is written,
  output      logic [31:0] debug_data_o    // with this
);

  localparam logic [31:0] MisaValue   = 32'h4000_1100;  // RV32IM
  localparam logic [31:0] MimpidValue = 32'd1;          // version of this processor

  // Which register is selected; none of those that are always zero.
  typedef struct packed {
    logic mstatus;
    logic misa;
    logic mie;
    logic mtvec;
    logic mscratch;
    logic mepc;
    logic mcause;
    logic mtval;
    logic mip;
    logic mcycle;
    logic mcycleh;
    logic minstret;
    logic minstreth;
    logic mimpid;
    logic debug;
  } select_t;

  select_t sel_q;

  // Counters of events and their selectors: 0xB03..0xB1F, 0xB83..0xB9F, 0x323..0x33F.
  logic zero_counter, zero_fixed, zero_other, is_counter, is_selector;
  assign is_counter   = number_i[11:8] == 4'hB && number_i[6:5] == 2'b00;
  assign is_selector  = number_i[11:5] == 7'b0011001;
  assign zero_counter = (is_counter || is_selector) && number_i[4:0] >= 5'd3;
  assign zero_other   = number_i == 12'h310;
  assign zero_fixed   = number_i == 12'hF11 || number_i == 12'hF12 || number_i == 12'hF14 ||
                        number_i == 12'hF15;

  select_t sel;
  always_comb begin
    sel.mstatus   = number_i == 12'h300;
    sel.misa      = number_i == 12'h301;
    sel.mie       = number_i == 12'h304;
    sel.mtvec     = number_i == 12'h305;
    sel.mscratch  = number_i == 12'h340;
    sel.mepc      = number_i == 12'h341;
    sel.mcause    = number_i == 12'h342;
    sel.mtval     = number_i == 12'h343;
    sel.mip       = number_i == 12'h344;
    sel.mcycle    = number_i == 12'hB00;
    sel.minstret  = number_i == 12'hB02;
    sel.mcycleh   = number_i == 12'hB80;
    sel.minstreth = number_i == 12'hB82;
    sel.mimpid    = number_i == 12'hF13;
    sel.debug     = number_i == 12'h7B2 && debug_i;
  end

  logic zero_q, fixed_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sel_q   <= '0;
      zero_q  <= 1'b0;
      fixed_q <= 1'b0;
    end else if (select_i) begin
      sel_q   <= sel;
      zero_q  <= zero_counter || zero_fixed || zero_other;
      fixed_q <= number_i[11:10] == 2'b11;
    end
  end
  assign exists_o = zero_q || sel_q != '0;
  assign fixed_o  = fixed_q;

  // ---- The registers ----

  logic        mie_q, mpie_q;              // of mstatus
  logic        timer_en_q, ext_en_q;       // of mie
  logic        timer_pend_q, ext_pend_q;   // of mip
  logic [31:2] mtvec_q, mepc_q;
  logic [31:0] mscratch_q, mtval_q;
  logic [4:0]  mcause_q;                   // interrupt, code

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      mie_q        <= 1'b0;
      mpie_q       <= 1'b0;
      timer_en_q   <= 1'b0;
      ext_en_q     <= 1'b0;
      timer_pend_q <= 1'b0;
      ext_pend_q   <= 1'b0;
      mtvec_q      <= '0;
      mepc_q       <= '0;
      mscratch_q   <= '0;
      mtval_q      <= '0;
      mcause_q     <= '0;
    end else begin
      timer_pend_q <= timer_irq_i;
      ext_pend_q   <= ext_irq_i;
      if (trap_i) begin
        mie_q  <= 1'b0;
        mpie_q <= mie_q;
      end else if (mret_i) begin
        mie_q  <= mpie_q;
        mpie_q <= 1'b1;
      end else if (write_i && sel_q.mstatus) begin
        mie_q  <= wdata_i[3];
        mpie_q <= wdata_i[7];
      end
      if (write_i && sel_q.mie) begin
        timer_en_q <= wdata_i[7];
        ext_en_q   <= wdata_i[11];
      end
      if (write_i && sel_q.mtvec)    mtvec_q    <= wdata_i[31:2];
      if (write_i && sel_q.mscratch) mscratch_q <= wdata_i;
      if (trap_i)                        mepc_q <= trap_pc_i;
      else if (write_i && sel_q.mepc)    mepc_q <= wdata_i[31:2];
      if (trap_i)                        mcause_q <= {trap_irq_i, trap_cause_i};
      else if (write_i && sel_q.mcause)  mcause_q <= {wdata_i[31], wdata_i[3:0]};
      if (trap_i)                        mtval_q <= trap_value_i;
      else if (write_i && sel_q.mtval)   mtval_q <= wdata_i;
    end
  end

  assign mtvec_o   = mtvec_q;
  assign mepc_o    = mepc_q;
  assign wake_o    = (timer_pend_q && timer_en_q) || (ext_pend_q && ext_en_q);
  assign irq_o     = mie_q && wake_o;
  assign irq_ext_o = ext_pend_q && ext_en_q;

  assign debug_we_o   = write_i && sel_q.debug;
  assign debug_data_o = wdata_i;

  // ---- Counters ----

  logic [63:0] mcycle, minstret;
  logic        retired_q;   // counted a clock late, which nobody can read in time to see

  // The instruction that writes minstret does that instead of counting itself.
  always_ff @(posedge clk_i) begin
    retired_q <= rst_ni && count_instr_i && !(write_i && (sel_q.minstret || sel_q.minstreth));
  end

  plumb_core_counter u_mcycle (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .count_i   (count_clock_i),
    .we_low_i  (write_i && sel_q.mcycle),
    .we_high_i (write_i && sel_q.mcycleh),
    .wdata_i   (wdata_i),
    .value_o   (mcycle)
  );

  plumb_core_counter u_minstret (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .count_i   (retired_q),
    .we_low_i  (write_i && sel_q.minstret),
    .we_high_i (write_i && sel_q.minstreth),
    .wdata_i   (wdata_i),
    .value_o   (minstret)
  );

  // ---- Reading ----

  logic [31:0] mstatus, mie, mip;
  assign mstatus = {19'b0, 2'b11, 3'b0, mpie_q, 3'b0, mie_q, 3'b0};
  assign mie     = {20'b0, ext_en_q, 3'b0, timer_en_q, 7'b0};
  assign mip     = {20'b0, ext_pend_q, 3'b0, timer_pend_q, 7'b0};

  assign rdata_o = ({32{sel_q.mstatus}} & mstatus) | ({32{sel_q.misa}} & MisaValue) |
                   ({32{sel_q.mie}} & mie) | ({32{sel_q.mip}} & mip) |
                   ({32{sel_q.mtvec}} & {mtvec_q, 2'b0}) | ({32{sel_q.mscratch}} & mscratch_q) |
                   ({32{sel_q.mepc}} & {mepc_q, 2'b0}) |
                   ({32{sel_q.mcause}} & {mcause_q[4], 27'b0, mcause_q[3:0]}) |
                   ({32{sel_q.mtval}} & mtval_q) | ({32{sel_q.mcycle}} & mcycle[31:0]) |
                   ({32{sel_q.mcycleh}} & mcycle[63:32]) |
                   ({32{sel_q.minstret}} & minstret[31:0]) |
                   ({32{sel_q.minstreth}} & minstret[63:32]) |
                   ({32{sel_q.mimpid}} & MimpidValue) | ({32{sel_q.debug}} & debug_data_i);

endmodule
