// Latency per group of flows: count, minimum, maximum, sum, and the log-linear histogram.
//
// Takes a latency every two clocks at most. bucket(v) = v below 256, else with e = floor(log2 v):
// (e - 6)·128 + the seven bits below the leading one, which is shift·128 + (v >> shift) with
// shift = e - 7; from 2^40 on the last bucket, 4351. A latency with bit 47 set is negative: it is
// only reported.
//
//   clock   0    1        2        3         4      5          6        7
//           in   octave   bucket   address   read   read out   update   write
//                                                   or newer
//
// The histogram lies in eight banks by the low bits of the bucket, which are cleared together:
// reset and clear_i zero everything in 2^GroupsLog2·544 clocks (busy_o). Reads of a group or a
// histogram cell are answered in a clock in which no update reads, at most seven clocks after the
// request; what does not exist reads as zero.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_rx_latency #(
  parameter int unsigned GroupsLog2 = 4
) (
  // Clock and reset (active low)
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        clear_i,                      // pulse: zeroes groups and histograms
  output logic        busy_o,                       // level, until all are zero

  // A latency
  input  logic        valid_i,                      // pulse, at most every other clock
  input  logic [4:0]  group_i,                      // with valid_i
  input  logic [47:0] latency_i,                    // with valid_i: signed, ps
  output logic        negative_o,                   // pulse, one clock later: it was negative

  // Row of a group
  input  logic        group_read_i,                 // pulse
  input  logic [15:0] group_read_row_i,             // with group_read_i
  output logic        group_ack_o,                  // pulse
  output logic [plumb_rx_pkg::GroupW-1:0] group_o,  // with group_ack_o: a group_t

  // Cell of a histogram
  input  logic        hist_req_i,                   // pulse
  input  logic [4:0]  hist_group_i,                 // with hist_req_i
  input  logic [15:0] hist_bucket_i,                // with hist_req_i
  output logic        hist_ack_o,                   // pulse
  output logic [47:0] hist_data_o                   // frames in the cell, with hist_ack_o
);

  `PLUMB_RANGE(plumb_rx_latency, GroupsLog2, 1, 5)

  localparam int unsigned Groups = 1 << GroupsLog2;
  localparam int unsigned BankRows = plumb_pkg::HistBuckets / 8;   // per group
  localparam int unsigned Depth = Groups * BankRows;
  localparam int unsigned AddrW = GroupsLog2 + 10;
  localparam logic [plumb_rx_pkg::GroupW-1:0] EmptyGroup = {96'd0, 48'd0, {48{1'b1}}, 48'd0};

  // Row of a bank: group·544 + bucket / 8.
  function automatic logic [AddrW-1:0] bank_row(input logic [GroupsLog2-1:0] group,
                                                input logic [9:0] eighth);
    bank_row = AddrW'({group, 9'd0}) + AddrW'({group, 5'd0}) + AddrW'(eighth);
  endfunction

  // Sweep of the banks; the groups are done in its beginning.
  logic             sweep_q;
  logic [AddrW-1:0] sweep_row_q;
  logic             sweep_groups;
  logic             stop;

  assign sweep_groups = sweep_q && ((sweep_row_q >> GroupsLog2) == '0);
  assign stop         = sweep_q || clear_i;
  assign busy_o       = sweep_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      sweep_q     <= 1'b1;
      sweep_row_q <= '0;
    end else if (clear_i) begin
      sweep_q     <= 1'b1;
      sweep_row_q <= '0;
    end else if (sweep_q) begin
      sweep_q     <= sweep_row_q != AddrW'(Depth - 1);
      sweep_row_q <= sweep_row_q + 1'b1;
    end
  end

  // Latencies on their way. [k]: came in k clocks ago.
  logic [8:1] valid_q;
  logic       negative_q;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      valid_q    <= '0;
      negative_q <= 1'b0;
    end else if (stop) begin
      valid_q    <= '0;
      negative_q <= 1'b0;
    end else begin
      valid_q    <= {valid_q[7:1], valid_i && !latency_i[47]};
      negative_q <= valid_i && latency_i[47];
    end
  end

  assign negative_o = negative_q;

  // Groups that do not exist never come here.
  logic unused_group;
  assign unused_group = ^group_i;

  // Clock 1: which byte holds the leading one, and that byte with the seven bits below.
  logic [46:0] value1_q;
  logic [GroupsLog2-1:0] group1_q;
  logic [2:0]  octet;
  logic [14:0] pair;

  always_comb begin
    if (!valid_q[1]) begin
      `PLUMB_ANY(octet)
      `PLUMB_ANY(pair)
    end else if (|value1_q[39:32]) begin
      octet = 3'd4;
      pair  = value1_q[39:25];
    end else if (|value1_q[31:24]) begin
      octet = 3'd3;
      pair  = value1_q[31:17];
    end else if (|value1_q[23:16]) begin
      octet = 3'd2;
      pair  = value1_q[23:9];
    end else if (|value1_q[15:8]) begin
      octet = 3'd1;
      pair  = value1_q[15:1];
    end else begin
      octet = 3'd0;
      pair  = {value1_q[7:0], 7'd0};
    end
  end

  // Clock 2: the leading one in that byte and the seven bits below it.
  logic [46:0] value2_q;
  logic [GroupsLog2-1:0] group2_q;
  logic        beyond2_q;
  logic [2:0]  octet2_q;
  logic [14:0] pair2_q;
  logic [2:0]  lead;
  logic [6:0]  below;
  logic [5:0]  octave;
  logic [12:0] bucket;

  always_comb begin
    `PLUMB_ANY({lead, below})
    if (valid_q[2]) begin
      casez (pair2_q[14:7])
        8'b1???????: {lead, below} = {3'd7, pair2_q[13:7]};
        8'b01??????: {lead, below} = {3'd6, pair2_q[12:6]};
        8'b001?????: {lead, below} = {3'd5, pair2_q[11:5]};
        8'b0001????: {lead, below} = {3'd4, pair2_q[10:4]};
        8'b00001???: {lead, below} = {3'd3, pair2_q[9:3]};
        8'b000001??: {lead, below} = {3'd2, pair2_q[8:2]};
        8'b0000001?: {lead, below} = {3'd1, pair2_q[7:1]};
        default:     {lead, below} = {3'd0, pair2_q[6:0]};
      endcase
    end
  end

  assign octave = {octet2_q, lead} - 6'd6;
  assign bucket = beyond2_q          ? 13'(plumb_pkg::HistBuckets - 1) :
                  (octet2_q == 3'd0) ? {5'd0, pair2_q[14:7]} :
                                       {octave, below};

  // Clock 3: where that is.
  logic [46:0]           value3_q;
  logic [GroupsLog2-1:0] group3_q;
  logic [12:0]           bucket3_q;

  // Clock 4 on.
  logic [46:0]           value4_q;
  logic [46:0]           value5_q;
  logic [46:0]           value6_q;
  logic [GroupsLog2-1:0] group4_q;
  logic [GroupsLog2-1:0] group5_q;
  logic [GroupsLog2-1:0] group6_q;
  logic [GroupsLog2-1:0] group7_q;
  logic [AddrW+2:0]      cell4_q;    // row of the bank, bank
  logic [AddrW+2:0]      cell5_q;
  logic [AddrW+2:0]      cell6_q;
  logic [AddrW+2:0]      cell7_q;

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      value1_q <= latency_i[46:0];
      group1_q <= group_i[GroupsLog2-1:0];
    end
    if (valid_q[1]) begin
      value2_q  <= value1_q;
      group2_q  <= group1_q;
      beyond2_q <= |value1_q[46:40];
      octet2_q  <= octet;
      pair2_q   <= pair;
    end
    if (valid_q[2]) begin
      value3_q  <= value2_q;
      group3_q  <= group2_q;
      bucket3_q <= bucket;
    end
    if (valid_q[3]) begin
      value4_q <= value3_q;
      group4_q <= group3_q;
      cell4_q  <= {bank_row(group3_q, bucket3_q[12:3]), bucket3_q[2:0]};
    end
    if (valid_q[4]) begin
      value5_q <= value4_q;
      group5_q <= group4_q;
      cell5_q  <= cell4_q;
    end
    if (valid_q[5]) begin
      value6_q <= value5_q;
      group6_q <= group5_q;
      cell6_q  <= cell5_q;
    end
    if (valid_q[6]) begin
      group7_q <= group6_q;
      cell7_q  <= cell6_q;
    end
  end

  // Reads from outside take the clocks in which clock 4 is empty.
  logic             wanted_q;
  logic [15:0]      wanted_row_q;
  logic             group_served_q;
  logic             hist_wanted_q;
  logic             hist_placed_q;   // address worked out
  logic [4:0]       hist_group_q;
  logic [15:0]      hist_bucket_q;
  logic [AddrW+2:0] hist_cell_q;
  logic             hist_exists_q;
  logic             hist_served_q;
  logic             serve_group;
  logic             serve_hist;

  assign serve_group = wanted_q && !valid_q[4];
  assign serve_hist  = hist_placed_q && !valid_q[4];

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      wanted_q       <= 1'b0;
      wanted_row_q   <= '0;
      group_served_q <= 1'b0;
      hist_wanted_q  <= 1'b0;
      hist_placed_q  <= 1'b0;
      hist_group_q   <= '0;
      hist_bucket_q  <= '0;
      hist_cell_q    <= '0;
      hist_exists_q  <= 1'b0;
      hist_served_q  <= 1'b0;
    end else begin
      group_served_q <= serve_group;
      hist_served_q  <= serve_hist;
      if (group_read_i) begin
        wanted_q     <= 1'b1;
        wanted_row_q <= group_read_row_i;
      end else if (serve_group) begin
        wanted_q <= 1'b0;
      end
      hist_wanted_q <= hist_req_i;
      if (hist_req_i) begin
        hist_group_q  <= hist_group_i;
        hist_bucket_q <= hist_bucket_i;
      end
      if (hist_wanted_q) begin
        hist_placed_q <= 1'b1;
        hist_cell_q   <= {bank_row(hist_group_q[GroupsLog2-1:0], hist_bucket_q[12:3]),
                          hist_bucket_q[2:0]};
        hist_exists_q <= (hist_bucket_q < 16'(plumb_pkg::HistBuckets)) &&
                         ((hist_group_q >> GroupsLog2) == 5'd0);
      end else if (serve_hist) begin
        hist_placed_q <= 1'b0;
      end
    end
  end

  // Clocks 4 to 7 of the groups. At clock 5 the result of an update two or three clocks before is
  // not yet in what was read.
  logic [plumb_rx_pkg::GroupW-1:0] group_stored;
  logic [plumb_rx_pkg::GroupW-1:0] group_new_q;
  plumb_rx_pkg::group_t            g6_q;

  plumb_rx_ram #(
    .Width (plumb_rx_pkg::GroupW),
    .Depth (Groups),
    .AddrW (GroupsLog2)
  ) u_groups (
    .clk_i   (clk_i),
    .we_i    (sweep_groups || valid_q[7]),
    .waddr_i (sweep_q ? sweep_row_q[GroupsLog2-1:0] : group7_q),
    .wdata_i (sweep_q ? EmptyGroup : group_new_q),
    .re_i    (valid_q[4] || serve_group),
    .raddr_i (valid_q[4] ? group4_q : wanted_row_q[GroupsLog2-1:0]),
    .rdata_o (group_stored)
  );

  always_ff @(posedge clk_i) begin
    if (valid_q[5]) begin
      g6_q <= ((|valid_q[8:7]) && (group7_q == group5_q)) ? group_new_q : group_stored;
    end
    if (valid_q[6]) begin
      group_new_q <= {g6_q.sum + {49'd0, value6_q},
                      ({1'b0, value6_q} > g6_q.maximum) ? {1'b0, value6_q} : g6_q.maximum,
                      ({1'b0, value6_q} < g6_q.minimum) ? {1'b0, value6_q} : g6_q.minimum,
                      g6_q.count + 48'd1};
    end
  end

  assign group_ack_o = group_served_q;
  assign group_o     = ((wanted_row_q >> GroupsLog2) == 16'd0) ? group_stored : '0;

  // The same for the histogram.
  logic [8*48-1:0] bank_out;
  logic [2:0]      bank_out_sel_q;
  logic [47:0]     cell_stored;
  logic [47:0]     count6_q;
  logic [47:0]     count_new_q;
  logic            read;
  logic [AddrW+2:0] read_cell;

  assign read        = valid_q[4] || serve_hist;
  assign read_cell   = valid_q[4] ? cell4_q : hist_cell_q;
  // A value that is not used is 'x, so that a simulation skips the wide choice.
  assign cell_stored = (valid_q[5] || hist_served_q) ? bank_out[48*bank_out_sel_q+:48] : 'x;

  // Banks are lanes of one memory.
  logic [8*48-1:0]  cells [0:Depth-1];
  logic             write;
  logic [AddrW-1:0] write_row;

  assign write     = sweep_q || valid_q[7];
  assign write_row = sweep_q ? sweep_row_q : cell7_q[AddrW+2:3];

  always_ff @(posedge clk_i) begin
    if (read) bank_out <= cells[read_cell[AddrW+2:3]];
    if (write) begin
      for (int unsigned b = 0; b < 8; b++) begin
        if (sweep_q || cell7_q[2:0] == 3'(b)) begin
          cells[write_row][48*b+:48] <= sweep_q ? 48'd0 : count_new_q;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (read) bank_out_sel_q <= read_cell[2:0];
    if (valid_q[5]) begin
      count6_q <= ((|valid_q[8:7]) && (cell7_q == cell5_q)) ? count_new_q : cell_stored;
    end
    if (valid_q[6]) count_new_q <= count6_q + 48'd1;
  end

  assign hist_ack_o  = hist_served_q;
  assign hist_data_o = hist_exists_q ? cell_stored : 48'd0;

endmodule
