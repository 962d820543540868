// Natural logarithm for plumb_tx_gaps.
package plumb_tx_ln_pkg;

  // Q0.24: ln_at(i) = round(2^24 ln(1 + i / 64)), i = 0 to 64.
  function automatic logic [23:0] ln_at(input logic [6:0] i);
    unique case (i)
      7'd0: ln_at = 24'd0;
      7'd1: ln_at = 24'd260117;
      7'd2: ln_at = 24'd516263;
      7'd3: ln_at = 24'd768556;
      7'd4: ln_at = 24'd1017112;
      7'd5: ln_at = 24'd1262040;
      7'd6: ln_at = 24'd1503443;
      7'd7: ln_at = 24'd1741421;
      7'd8: ln_at = 24'd1976071;
      7'd9: ln_at = 24'd2207485;
      7'd10: ln_at = 24'd2435750;
      7'd11: ln_at = 24'd2660951;
      7'd12: ln_at = 24'd2883169;
      7'd13: ln_at = 24'd3102482;
      7'd14: ln_at = 24'd3318965;
      7'd15: ln_at = 24'd3532691;
      7'd16: ln_at = 24'd3743728;
      7'd17: ln_at = 24'd3952143;
      7'd18: ln_at = 24'd4158001;
      7'd19: ln_at = 24'd4361364;
      7'd20: ln_at = 24'd4562291;
      7'd21: ln_at = 24'd4760840;
      7'd22: ln_at = 24'd4957067;
      7'd23: ln_at = 24'd5151025;
      7'd24: ln_at = 24'd5342767;
      7'd25: ln_at = 24'd5532342;
      7'd26: ln_at = 24'd5719799;
      7'd27: ln_at = 24'd5905184;
      7'd28: ln_at = 24'd6088544;
      7'd29: ln_at = 24'd6269921;
      7'd30: ln_at = 24'd6449358;
      7'd31: ln_at = 24'd6626896;
      7'd32: ln_at = 24'd6802576;
      7'd33: ln_at = 24'd6976434;
      7'd34: ln_at = 24'd7148510;
      7'd35: ln_at = 24'd7318838;
      7'd36: ln_at = 24'd7487455;
      7'd37: ln_at = 24'd7654394;
      7'd38: ln_at = 24'd7819688;
      7'd39: ln_at = 24'd7983370;
      7'd40: ln_at = 24'd8145469;
      7'd41: ln_at = 24'd8306018;
      7'd42: ln_at = 24'd8465045;
      7'd43: ln_at = 24'd8622579;
      7'd44: ln_at = 24'd8778647;
      7'd45: ln_at = 24'd8933277;
      7'd46: ln_at = 24'd9086495;
      7'd47: ln_at = 24'd9238326;
      7'd48: ln_at = 24'd9388795;
      7'd49: ln_at = 24'd9537927;
      7'd50: ln_at = 24'd9685745;
      7'd51: ln_at = 24'd9832271;
      7'd52: ln_at = 24'd9977530;
      7'd53: ln_at = 24'd10121541;
      7'd54: ln_at = 24'd10264327;
      7'd55: ln_at = 24'd10405907;
      7'd56: ln_at = 24'd10546303;
      7'd57: ln_at = 24'd10685534;
      7'd58: ln_at = 24'd10823619;
      7'd59: ln_at = 24'd10960577;
      7'd60: ln_at = 24'd11096425;
      7'd61: ln_at = 24'd11231183;
      7'd62: ln_at = 24'd11364866;
      7'd63: ln_at = 24'd11497493;
      default: ln_at = 24'd11629080;
    endcase
  endfunction

  // Q5.24: n ln 2, n = 1 to 33, as table so that no adders are needed.
  function automatic logic [28:0] ln_power(input logic [5:0] n);
    ln_power = '0;
    for (int unsigned k = 1; k <= 33; k++) begin
      if (n == 6'(k)) ln_power = 29'(k * 11629080);
    end
  endfunction

endpackage
