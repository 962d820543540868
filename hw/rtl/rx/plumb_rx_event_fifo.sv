// Queue of tagged frames before the tables: takes one every clock, gives one per pop_i.
//
// event_o is right one clock after pop_i and holds until the next one. valid_o says that there is
// something to pop; an event can be popped from the clock after its push on. A push to a full queue
// is dropped and gives a pulse of overflow_o. clear_i empties the queue and drops what is pushed.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_rx_event_fifo #(
  parameter int unsigned DepthLog2 = 9
) (
  // Clock and reset (active low)
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic                 clear_i,     // level: empties the queue

  // In
  input  logic                 push_i,      // pulse, in any clock
  input  plumb_rx_pkg::event_t event_i,     // with push_i
  output logic                 overflow_o,  // pulse, one clock later: the queue was full

  // Out
  output logic                 valid_o,     // level: there is something to pop
  input  logic                 pop_i,       // pulse, only while valid_o
  output plumb_rx_pkg::event_t event_o      // one clock after pop_i
);

  `PLUMB_RANGE(plumb_rx_event_fifo, DepthLog2, 1, 30)

  localparam int unsigned Depth = 1 << DepthLog2;

  // One bit more than an address, so that full and empty differ.
  logic [DepthLog2:0] write_q;
  logic [DepthLog2:0] read_q;
  logic               overflow_q;
  logic               full;
  logic               accept;

  assign full    = (write_q ^ read_q) == {1'b1, {DepthLog2{1'b0}}};
  assign accept  = push_i && !full;
  assign valid_o = write_q != read_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      write_q    <= '0;
      read_q     <= '0;
      overflow_q <= 1'b0;
    end else begin
      overflow_q <= push_i && full && !clear_i;
      if (clear_i) begin
        write_q <= '0;
        read_q  <= '0;
      end else begin
        if (accept)           write_q <= write_q + 1'b1;
        if (pop_i && valid_o) read_q  <= read_q + 1'b1;
      end
    end
  end

  assign overflow_o = overflow_q;

  plumb_rx_ram #(
    .Width (plumb_rx_pkg::EventW),
    .Depth (Depth),
    .AddrW (DepthLog2)
  ) u_events (
    .clk_i   (clk_i),
    .we_i    (accept),
    .waddr_i (write_q[DepthLog2-1:0]),
    .wdata_i (event_i),
    .re_i    (pop_i),
    .raddr_i (read_q[DepthLog2-1:0]),
    .rdata_o (event_o)
  );

endmodule
