// Reads histogram cells ahead of the host.
//
// load_i (HIST_ADDR written) fetches the cell of the address; next_i (HIST_HI read) moves the
// bucket on by one and fetches that cell. busy_o is high from the clock of the pulse until count_o
// is the cell's; the port's bus makes accesses to HIST_ADDR, HIST_LO and HIST_HI wait for it.
// Buckets beyond the last read as zero at once, and the address stops there.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_hist_reader (
  // Clock, reset (active low)
  input  wire logic        clk_i,
  input  wire logic        rst_ni,

  // Registers
  input  wire logic        load_i,       // pulse: HIST_ADDR was written
  input  wire logic        next_i,       // pulse: HIST_HI was read
  input  wire logic [15:0] bucket_i,     // HIST_ADDR as it is now
  output      logic        bucket_we_o,  // pulse: HIST_ADDR moves on
  output      logic [15:0] bucket_o,     // HIST_ADDR from the next clock on
  output      logic        busy_o,       // level: count_o is not that of the address yet
  output      logic [47:0] count_o,      // frames in the cell

  // Histogram memory
  output      logic        hist_req_o,   // level until hist_ack_i: read cell bucket_i
  input  wire logic        hist_ack_i,   // pulse: the request is taken
  input  wire logic [47:0] hist_data_i   // frames in the cell, two clocks behind hist_ack_i
);

  localparam logic [15:0] Buckets = 16'(plumb_pkg::HistBuckets);

  typedef enum logic [1:0] {
    StIdle,
    StRequest,
    StWait
  } state_e;
  state_e state_q;

  logic beyond;
  assign beyond = bucket_i >= Buckets;
  assign bucket_we_o = next_i && !beyond;
  assign bucket_o = bucket_i + 16'd1;
  assign hist_req_o = state_q == StRequest && !beyond;
  assign busy_o = state_q != StIdle || load_i || next_i;

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      state_q <= StIdle;
      count_o <= '0;
    end else begin
      unique case (state_q)
        StIdle: if (load_i || next_i) state_q <= StRequest;
        StRequest: begin
          state_q <= beyond ? StIdle : StWait;
          if (beyond) count_o <= '0;
        end
        StWait: begin
          if (hist_ack_i) begin
            state_q <= StIdle;
            count_o <= hist_data_i;
          end
        end
        default: state_q <= StIdle;
      endcase
    end
  end

  `PLUMB_ASSERT(NoPulseWhileBusy, state_q != StIdle |-> !load_i && !next_i)
  `PLUMB_ASSERT(AckExpected, hist_ack_i |-> state_q == StWait)

endmodule
