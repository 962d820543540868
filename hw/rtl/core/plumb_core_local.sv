// The devices that belong to the control processor: timer, interrupts, mailbox. On the device bus
// it answers two clocks after the request; offsets that are no register, and stores of less than a
// word, are refused. Registers (offset in bytes):
//
//   0x00 MtimeLow      read        clocks since reset, bits 31:0; counts in sleep and while halted
//   0x04 MtimeHigh     read        bits 63:32
//   0x08 CompareLow    read/write  timer interrupt while mtime >= compare; all ones after reset
//   0x0C CompareHigh   read/write
//   0x10 IrqPending    read        bit 0: a word from the host waits; bits 31:8: irq_i, of which 8+p:
//                                  an event frame waits at port p, 16+p: the link of its MAC has changed
//   0x14 IrqEnable     read/write  which of those bits are the external interrupt; 0 after reset
//   0x18 MailIn        read        word from the host; reading takes it. Refused if there is none
//   0x1C MailOut       write       word for the host. Refused while the last one has not been taken
//   0x20 MailStatus    read        bit 0: MailIn has a word; bit 1: MailOut is full
//   0x24 ClockHz       read        frequency of the clock that mtime counts [Hz]
//
// The timer's comparison takes two clocks. Mailboxes hold a word each way: they say that something is
// to be done, what it is lies in memory.
`include "plumb_assert.svh"

module plumb_core_local #(
  parameter int unsigned ClockHz = 322265625   // of clk_i
) (
  // Clock, reset (active low)
  input  wire logic        clk_i,
  input  wire logic        clk_timer_i,   // the same, but never at rest (plumb_clock_gate)
  input  wire logic        rst_ni,

  // Bus of the processor
  input  wire logic        req_i,         // access, held until ack_o
  input  wire logic        write_i,       // it writes
  input  wire logic [29:2] addr_i,        // word, from the first register
  input  wire logic [3:0]  strobe_i,      // lanes written
  input  wire logic [31:0] wdata_i,       // what is written
  output      logic        ack_o,         // the access has ended
  output      logic        error_o,       // it was refused
  output      logic [31:0] rdata_o,       // what was read

  // Interrupts
  input  wire logic [31:8] irq_i,         // levels of interrupts from the card
  output      logic        timer_irq_o,   // level of the timer's interrupt
  output      logic        ext_irq_o,     // level of the external interrupt
  output      logic        irq_wanted_o,  // level: one of irq_i is enabled; the clock must run

  // Mailbox, the host's end
  input  wire logic        mail_put_i,    // the host puts mail_word_i into MailIn; ignored if full
  input  wire logic [31:0] mail_word_i,   // word from the host
  output      logic        mail_full_o,   // MailIn has a word that waits
  output      logic        mail_valid_o,  // MailOut has a word for the host
  output      logic [31:0] mail_word_o,   // oldest word for the host, while mail_valid_o
  input  wire logic        mail_take_i    // the host takes it
);

  `PLUMB_RANGE(plumb_core_local, ClockHz, 1, 2147483647)

  // ---- Timer ----

  logic [63:0] mtime;
  logic [31:0] compare_low_q, compare_high_q;
  logic        high_above_q, high_equal_q, low_reached_q;

  plumb_core_counter u_mtime (
    .clk_i     (clk_timer_i),
    .rst_ni    (rst_ni),
    .count_i   (1'b1),
    .we_low_i  (1'b0),
    .we_high_i (1'b0),
    .wdata_i   (32'b0),
    .value_o   (mtime)
  );

  always_ff @(posedge clk_timer_i) begin
    if (!rst_ni) begin
      high_above_q  <= 1'b0;
      high_equal_q  <= 1'b0;
      low_reached_q <= 1'b0;
      timer_irq_o   <= 1'b0;
    end else begin
      high_above_q  <= mtime[63:32] > compare_high_q;
      high_equal_q  <= mtime[63:32] == compare_high_q;
      low_reached_q <= mtime[31:0] >= compare_low_q;
      timer_irq_o   <= high_above_q || (high_equal_q && low_reached_q);
    end
  end

  // ---- Registers ----

  logic        first, access_q, known, refused;
  logic [31:8] irq_q;
  logic [31:0] pending, enable_q, mail_in_q;
  logic        write, take_in, put_out;

  // The clock of an access: one after the request begins, so that the answer is registered.
  assign first   = req_i && !access_q && !ack_o;
  assign write   = access_q && write_i && !refused;
  assign pending = {irq_q, 7'b0, mail_full_o};
  assign irq_wanted_o = (irq_i & enable_q[31:8]) != '0;

  always_comb begin
    known = 1'b1;
    unique case (addr_i[7:2])
      6'h00, 6'h01, 6'h04, 6'h08, 6'h09: known = !write_i;
      6'h02, 6'h03, 6'h05:               known = 1'b1;
      6'h06:                             known = !write_i && mail_full_o;
      6'h07:                             known = write_i && !mail_valid_o;
      default:                           known = 1'b0;
    endcase
  end
  assign refused = !known || addr_i[29:8] != '0 || (write_i && strobe_i != 4'hF);
  assign take_in = access_q && !write_i && !refused && addr_i[7:2] == 6'h06;
  assign put_out = write && addr_i[7:2] == 6'h07;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      access_q       <= 1'b0;
      ack_o          <= 1'b0;
      error_o        <= 1'b0;
      compare_low_q  <= '1;
      compare_high_q <= '1;
      enable_q       <= '0;
      irq_q          <= '0;
      ext_irq_o      <= 1'b0;
      mail_full_o    <= 1'b0;
      mail_valid_o   <= 1'b0;
    end else begin
      access_q <= first;
      ack_o    <= access_q;
      error_o  <= refused;
      if (write && addr_i[7:2] == 6'h02) compare_low_q  <= wdata_i;
      if (write && addr_i[7:2] == 6'h03) compare_high_q <= wdata_i;
      if (write && addr_i[7:2] == 6'h05) enable_q       <= {wdata_i[31:8], 7'b0, wdata_i[0]};
      irq_q     <= irq_i;
      ext_irq_o <= (pending & enable_q) != '0;
      if (mail_put_i)   mail_full_o <= 1'b1;
      else if (take_in) mail_full_o <= 1'b0;
      if (put_out)          mail_valid_o <= 1'b1;
      else if (mail_take_i) mail_valid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (mail_put_i && !mail_full_o) mail_in_q   <= mail_word_i;
    if (put_out)                    mail_word_o <= wdata_i;
    unique case (addr_i[7:2])
      6'h00:   rdata_o <= mtime[31:0];
      6'h01:   rdata_o <= mtime[63:32];
      6'h02:   rdata_o <= compare_low_q;
      6'h03:   rdata_o <= compare_high_q;
      6'h04:   rdata_o <= pending;
      6'h05:   rdata_o <= enable_q;
      6'h06:   rdata_o <= mail_in_q;
      6'h09:   rdata_o <= ClockHz;
      default: rdata_o <= {30'b0, mail_valid_o, mail_full_o};
    endcase
  end

endmodule
