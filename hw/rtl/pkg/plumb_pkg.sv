// Constants and small functions that every block of the card shares. Imports nothing (Yosys), so
// generated packages repeat what they need.
package plumb_pkg;

  // Datapath: one beat per clock at the MAC boundary, byte 0 in bits 7:0.
  localparam int unsigned DataBytes = 64;
  localparam int unsigned DataW = 512;
  localparam int unsigned MinFrameBytes = 64;
  localparam int unsigned MaxFrameBytes = 9216;
  // Preamble, SFD and the average inter-packet gap.
  localparam int unsigned WireOverheadBytes = 20;

  // Clock period in ps as a fraction: 1024/330 ns at 322.265625 MHz.
  localparam int unsigned ClockPeriodNum = 102400;
  localparam int unsigned ClockPeriodDen = 33;
  localparam int unsigned ClockHz = 322265625;

  // Test tag (docs/card.md): magic, id, sequence, departure; big-endian on the wire.
  localparam logic [15:0] TagMagic = 16'h504C;
  localparam int unsigned TagBytes = 18;

  // Tables reached through TBL_ADDR.
  localparam logic [3:0] TableTemplate = 4'd0;
  localparam logic [3:0] TableFlow = 4'd1;
  localparam logic [3:0] TableSchedule = 4'd2;
  localparam logic [3:0] TableTxState = 4'd3;
  localparam logic [3:0] TableRxFlow = 4'd4;
  localparam logic [3:0] TableGroup = 4'd5;
  localparam logic [3:0] TableGap = 4'd6;
  localparam logic [3:0] TableQp = 4'd7;
  localparam logic [3:0] TablePattern = 4'd8;

  // Latency histogram: log-linear, 128 sub-buckets per octave, values in ps.
  localparam int unsigned HistBuckets = 4352;

  localparam logic [15:0] UdpPortRoce = 16'd4791;
  localparam logic [15:0] UdpPortUet = 16'd4793;

  // Number of ones in a tkeep that has none above a zero. Bit b is set where the ones end in the lower
  // half of a block of 2^(b+1): each bit by itself, three LUTs deep at most.
  function automatic logic [6:0] kept_bytes(input logic [63:0] keep);
    kept_bytes = {keep[63],
                  keep[31] && !keep[63],
                  |(keep & ~(keep >> 16) & 64'h0000_8000_0000_8000),
                  |(keep & ~(keep >> 8) & 64'h0080_0080_0080_0080),
                  |(keep & ~(keep >> 4) & 64'h0808_0808_0808_0808),
                  |(keep & ~(keep >> 2) & 64'h2222_2222_2222_2222),
                  |(keep & ~(keep >> 1) & 64'h5555_5555_5555_5555)};
  endfunction

  // Whether count + 1 == limit, each bit by itself instead of through a carry chain: every bit must
  // differ exactly where a carry comes from below, and that can only come from a one that turns zero.
  function automatic logic is_next(input logic [31:0] count, input logic [31:0] limit);
    is_next = (count ^ limit) == {count[30:0] & ~limit[30:0], 1'b1};
  endfunction

  // One of eight values of 28 bits (or 20, 15, 14) that lie side by side. An index with a stride that
  // is no power of two would be synthesised as a multiplier and a shifter.
  function automatic logic [27:0] pick28(input logic [8*28-1:0] values, input logic [2:0] index);
    logic [111:0] four;
    logic [55:0]  two;
    four   = index[2] ? values[223:112] : values[111:0];
    two    = index[1] ? four[111:56] : four[55:0];
    pick28 = index[0] ? two[55:28] : two[27:0];
  endfunction

  function automatic logic [19:0] pick20(input logic [8*20-1:0] values, input logic [2:0] index);
    logic [79:0] four;
    logic [39:0] two;
    four   = index[2] ? values[159:80] : values[79:0];
    two    = index[1] ? four[79:40] : four[39:0];
    pick20 = index[0] ? two[39:20] : two[19:0];
  endfunction

  function automatic logic [14:0] pick15(input logic [8*15-1:0] values, input logic [2:0] index);
    logic [59:0] four;
    logic [29:0] two;
    four   = index[2] ? values[119:60] : values[59:0];
    two    = index[1] ? four[59:30] : four[29:0];
    pick15 = index[0] ? two[29:15] : two[14:0];
  endfunction

  function automatic logic [13:0] pick14(input logic [8*14-1:0] values, input logic [2:0] index);
    logic [55:0] four;
    logic [27:0] two;
    four   = index[2] ? values[111:56] : values[55:0];
    two    = index[1] ? four[55:28] : four[27:0];
    pick14 = index[0] ? two[27:14] : two[13:0];
  endfunction

endpackage
