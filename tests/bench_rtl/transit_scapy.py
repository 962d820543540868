"""What a frame looks like behind some routers, as scapy rebuilds it.

Reads one case a line from standard input: the frame in hexadecimal without its FCS, the routers it
passed, 1 if it was marked CE, the length with FCS that it was trimmed to (0: it was not) and the
priority it has now. Prints each frame as it comes out, with its FCS. Exit code 3: scapy is not
installed."""

import sys
import zlib

try:
    from scapy.layers.inet import IP
    from scapy.layers.inet6 import IPv6
    from scapy.layers.l2 import Dot1Q, Ether
except ImportError:
    sys.exit(3)

TRIMMED_DSCP = 27
CE = 3


def left_behind(tos, marked, trimmed):
    if trimmed:
        tos = TRIMMED_DSCP * 4 + tos % 4
    return tos | CE if marked else tos


for line in sys.stdin:
    text, hops, marked, length, priority = line.split()
    raw = bytes.fromhex(text)
    if int(length):
        raw = raw[: int(length) - 4]
    frame = Ether(raw)
    if Dot1Q in frame:
        frame[Dot1Q].prio = int(priority)
    room = len(raw) - (18 if Dot1Q in frame else 14)
    if IP in frame:
        ip = frame[IP]
        ip.ttl -= int(hops)
        ip.tos = left_behind(ip.tos, int(marked), int(length))
        if int(length):
            ip.len = min(ip.len, room)
        del ip.chksum
    else:
        ip = frame[IPv6]
        ip.hlim -= int(hops)
        ip.tc = left_behind(ip.tc, int(marked), int(length))
        if int(length):
            ip.plen = min(ip.plen, room - 40)
    out = bytes(frame)
    print((out + zlib.crc32(out).to_bytes(4, "little")).hex())
