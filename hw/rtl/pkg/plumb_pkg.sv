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

  // Test tag (docs/card.md): magic, id, sequence, departure; big-endian on the wire.
  localparam logic [15:0] TagMagic = 16'h504C;
  localparam int unsigned TagBytes = 18;

  // Tables reached through TBL_ADDR.
  localparam logic [2:0] TableTemplate = 3'd0;
  localparam logic [2:0] TableFlow = 3'd1;
  localparam logic [2:0] TableSchedule = 3'd2;
  localparam logic [2:0] TableTxState = 3'd3;
  localparam logic [2:0] TableRxFlow = 3'd4;
  localparam logic [2:0] TableGroup = 3'd5;

  // Latency histogram: log-linear, 128 sub-buckets per octave, values in ps.
  localparam int unsigned HistBuckets = 4352;

  localparam logic [15:0] UdpPortRoce = 16'd4791;
  localparam logic [15:0] UdpPortUet = 16'd4793;

endpackage
