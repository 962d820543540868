// FIFO between two clocks of any ratio: 2^DepthLog2 words, pointers in Gray code. The first word is
// at data_o while valid_o is high; level_o is how many there are at least. A write while full_o is
// high is lost, and is the writer's to count.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_async_fifo #(
  parameter int unsigned W = 8,
  parameter int unsigned DepthLog2 = 4
) (
  input  wire logic               w_clk_i,
  input  wire logic               w_rst_ni,
  input  wire logic               valid_i,
  input  wire logic [W-1:0]       data_i,
  output      logic               full_o,

  input  wire logic               r_clk_i,
  input  wire logic               r_rst_ni,
  input  wire logic               pop_i,
  output      logic               valid_o,
  output      logic [W-1:0]       data_o,
  output      logic [DepthLog2:0] level_o
);

  `PLUMB_RANGE(plumb_async_fifo, W, 1, 4096)
  `PLUMB_RANGE(plumb_async_fifo, DepthLog2, 2, 30)

  localparam int unsigned PointerW = DepthLog2 + 1;

  function automatic logic [DepthLog2:0] to_gray(input logic [DepthLog2:0] binary);
    to_gray = binary ^ (binary >> 1);
  endfunction

  function automatic logic [DepthLog2:0] from_gray(input logic [DepthLog2:0] gray);
    from_gray = gray;
    for (int unsigned i = 1; i <= DepthLog2; i++) from_gray = from_gray ^ (gray >> i);
  endfunction

  logic [W-1:0]       words [0:2**DepthLog2-1];
  logic [DepthLog2:0] write_q, write_gray_q, written_gray, read_q, read_gray_q, freed_gray;
  logic               write, read;

  // ---- Writing ----

  assign full_o = PointerW'(write_q - from_gray(freed_gray)) == PointerW'(2**DepthLog2);
  assign write  = valid_i && !full_o;

  plumb_sync #(.W(DepthLog2 + 1)) u_freed (
    .clk_i (w_clk_i), .rst_ni (w_rst_ni), .d_i (read_gray_q), .q_o (freed_gray)
  );

  always_ff @(posedge w_clk_i or negedge w_rst_ni) begin
    if (!w_rst_ni) begin
      write_q      <= '0;
      write_gray_q <= '0;
    end else if (write) begin
      write_q      <= write_q + PointerW'(1);
      write_gray_q <= to_gray(write_q + PointerW'(1));
    end
  end

  always_ff @(posedge w_clk_i) begin
    if (write) words[write_q[DepthLog2-1:0]] <= data_i;
  end

  // ---- Reading ----

  plumb_sync #(.W(DepthLog2 + 1)) u_written (
    .clk_i (r_clk_i), .rst_ni (r_rst_ni), .d_i (write_gray_q), .q_o (written_gray)
  );

  assign level_o = from_gray(written_gray) - read_q;
  assign valid_o = level_o != '0;
  assign data_o  = words[read_q[DepthLog2-1:0]];
  assign read    = valid_o && pop_i;

  always_ff @(posedge r_clk_i or negedge r_rst_ni) begin
    if (!r_rst_ni) begin
      read_q      <= '0;
      read_gray_q <= '0;
    end else if (read) begin
      read_q      <= read_q + PointerW'(1);
      read_gray_q <= to_gray(read_q + PointerW'(1));
    end
  end

endmodule
