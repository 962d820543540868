// Memory of code and data: CodeBytes and DataBytes one behind the other, in blocks of RAM. Port a
// reads words (fetching), port b reads and writes bytes (loads, stores, the host). Both answer in the
// next clock and hold the answer until their next access. A word written by b is read by a from the
// next clock on; in the same clock a reads the old one.
//
// Two memories rather than one, each of a power of two words: no block of RAM is wasted, and the
// only logic is a multiplexer of two behind them. Both hold code and data; the names only say what
// sizes are meant for.
`include "plumb_assert.svh"

module plumb_core_ram #(
  parameter int unsigned CodeBytes = 65536,  // a power of two
  parameter int unsigned DataBytes = 32768   // a power of two, at most CodeBytes
) (
  // Clock
  input  wire logic        clk_i,      // clock

  // Port a: fetching
  input  wire logic        a_en_i,     // read the word at a_addr_i
  input  wire logic [31:2] a_addr_i,   // from the start of the memory; within it
  output      logic [31:0] a_rdata_o,  // word of the last read

  // Port b: loads, stores, the host
  input  wire logic        b_en_i,     // access
  input  wire logic [3:0]  b_we_i,     // lanes to write; 0 reads
  input  wire logic [31:2] b_addr_i,   // from the start of the memory; within it
  input  wire logic [31:0] b_wdata_i,  // bytes to write, in their lanes
  output      logic [31:0] b_rdata_o   // word of the last read; anything after a write
);

  localparam int unsigned CodeLog2 = $clog2(CodeBytes);
  localparam int unsigned DataLog2 = $clog2(DataBytes);

  `PLUMB_PARAMETER(plumb_core_ram, CodeBytes,
                   CodeBytes == 1 << CodeLog2 && CodeBytes >= DataBytes,
                   powers of two from DataBytes on)
  `PLUMB_PARAMETER(plumb_core_ram, DataBytes, DataBytes == 1 << DataLog2 && DataBytes >= 16,
                   powers of two from 16 on)

  (* ram_style = "block" *) logic [31:0] code [0:CodeBytes/4-1];
  (* ram_style = "block" *) logic [31:0] data [0:DataBytes/4-1];

  logic        a_upper, b_upper, a_upper_q, b_upper_q;
  logic [31:0] a_code_q, a_data_q, b_code_q, b_data_q;

  assign a_upper = a_addr_i[CodeLog2];
  assign b_upper = b_addr_i[CodeLog2];

  always_ff @(posedge clk_i) begin
    if (a_en_i) a_upper_q <= a_upper;
    if (b_en_i) b_upper_q <= b_upper;
  end

  always_ff @(posedge clk_i) begin
    if (a_en_i) a_code_q <= code[a_addr_i[CodeLog2-1:2]];
  end
  always_ff @(posedge clk_i) begin
    if (a_en_i) a_data_q <= data[a_addr_i[DataLog2-1:2]];
  end
  always_ff @(posedge clk_i) begin
    if (b_en_i) begin
      b_code_q <= code[b_addr_i[CodeLog2-1:2]];
      for (int unsigned i = 0; i < 4; i++) begin
        if (b_we_i[i] && !b_upper) code[b_addr_i[CodeLog2-1:2]][8*i+:8] <= b_wdata_i[8*i+:8];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (b_en_i) begin
      b_data_q <= data[b_addr_i[DataLog2-1:2]];
      for (int unsigned i = 0; i < 4; i++) begin
        if (b_we_i[i] && b_upper) data[b_addr_i[DataLog2-1:2]][8*i+:8] <= b_wdata_i[8*i+:8];
      end
    end
  end

  assign a_rdata_o = a_upper_q ? a_data_q : a_code_q;
  assign b_rdata_o = b_upper_q ? b_data_q : b_code_q;

  logic unused_address;
  assign unused_address = ^{a_addr_i[31:CodeLog2+1], b_addr_i[31:CodeLog2+1]};

endmodule
