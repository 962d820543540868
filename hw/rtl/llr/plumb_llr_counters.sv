// Counters of link-level retry: 48 bits, one clock behind the events, zero while clear_i.
`include "plumb_simulated.svh"

module plumb_llr_counters (
  // Clock and reset (active low)
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic                                 clear_i,    // level: holds all counters at zero

  // What happens in this clock, and what has happened so far
  input  logic [plumb_llr_pkg::Counters-1:0]   events_i,   // a pulse per counter
  input  logic [19:0]                          flushed_i,  // frames given up in this clock
  output logic [48*plumb_llr_pkg::Counters-1:0] counts_o,  // 48 bits each; counter i counts
                                                           // events_i[i]
  output logic [47:0]                          flushed_o   // sum of flushed_i
);

  // Most clocks have nothing to count.
  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      counts_o  <= '0;
      flushed_o <= '0;
    end else if (clear_i) begin
      counts_o  <= '0;
      flushed_o <= '0;
    end else if (events_i != '0 || flushed_i != 20'd0) begin
      for (int unsigned i = 0; i < plumb_llr_pkg::Counters; i++) begin
        counts_o[48*i+:48] <= counts_o[48*i+:48] + 48'(events_i[i]);
      end
      flushed_o <= flushed_o + 48'(flushed_i);
    end
  end

endmodule
