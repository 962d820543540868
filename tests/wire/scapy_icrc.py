"""Reads RoCEv2 frames over IPv4 from standard input, one a line in hexadecimal and without their
FCS, and prints for each the ICRC that scapy computes, as the wire's bytes. Exit code 3: scapy is
not installed."""

import sys

try:
    from scapy.contrib.roce import BTH
    from scapy.layers.l2 import Ether
except ImportError:
    sys.exit(3)

for line in sys.stdin:
    packet = Ether(bytes.fromhex(line.strip()))
    # The packet's own ICRC is cut off, so that only a computed one can be printed.
    packet[BTH].icrc = None
    print(bytes(packet)[-4:].hex())
