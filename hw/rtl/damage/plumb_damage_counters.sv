// What was injected in one direction: 64-bit counters of the pulses of plumb_damage and
// plumb_damage_ctl, in the order of the register map.
`include "plumb_assert.svh"
`include "plumb_simulated.svh"

module plumb_damage_counters #(
  parameter int unsigned Counters = 11
) (
  // Clock and reset (active low)
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   clear_i,    // level: holds all counters at zero
  input  logic [Counters-1:0]    inc_i,      // a pulse per counter
  output logic [64*Counters-1:0] counters_o  // 64 bits each; counter i counts inc_i[i]
);

  `PLUMB_PARAMETER(plumb_damage_counters, Counters, Counters >= 1, at least 1)

  // Assigned as a whole: a simulation copies in every clock what is assigned in parts.
  logic [64*Counters-1:0] next;

  always_comb begin
    `PLUMB_ANY(next)
    if (inc_i != '0) begin
      for (int unsigned i = 0; i < Counters; i++) begin
        next[64*i+:64] = counters_o[64*i+:64] + 64'(inc_i[i]);
      end
    end
  end

  always_ff @(posedge clk_i `PLUMB_OR_RESET) begin
    if (!rst_ni) begin
      counters_o <= '0;
    end else if (clear_i) begin
      counters_o <= '0;
    end else if (inc_i != '0) begin
      counters_o <= next;
    end
  end

endmodule
