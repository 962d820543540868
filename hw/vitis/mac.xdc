# Attributes of the MACs' primitives that cmac_usplus has no parameters for (PG203,
# "Attributes"): the card's preamble is sent as it is, and a wrong FCS is no error of the MAC's, so
# that rx_axis_tuser means other errors. Clocks and placement: timing.xdc. Not run yet. If an
# attribute is refused, or already set:
#   without the first, frames have the ordinary preamble, and only link-level retry misses another;
#   without the second, the shim inverts a bit of a frame whose FCS is wrong already: it stays wrong.
set_property CTL_TX_CUSTOM_PREAMBLE_ENABLE TRUE [get_cells -hierarchical -filter {REF_NAME == CMACE4}]
set_property CTL_RX_IGNORE_FCS TRUE [get_cells -hierarchical -filter {REF_NAME == CMACE4}]
