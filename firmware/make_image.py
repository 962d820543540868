#!/usr/bin/env python3
"""Makes the firmware's image out of its ELF file, and C++ with the image in it.

  make_image.py firmware.elf image.bin image.cc

The image is what the host writes to the start of the processor's memory: all that the ELF loads, with
length and checksum put into its header (interface.h). Needs Python 3 only.
"""

import pathlib
import struct
import sys
import zlib

BASE = 0x10000000
MAGIC = 0x504C4657
MAGIC_WORD, BYTES_WORD, CHECKSUM_WORD = 1, 5, 8
PT_LOAD = 1
RISCV = 243


def loaded(elf):
    """The bytes that the ELF has in the memory, from its start on."""
    if elf[:6] != b"\x7fELF\x01\x01" or struct.unpack_from("<H", elf, 18)[0] != RISCV:
        sys.exit("make_image.py: no ELF file of 32-bit RISC-V")
    table, = struct.unpack_from("<I", elf, 28)
    size, count = struct.unpack_from("<HH", elf, 42)
    image = b""
    for i in range(count):
        kind, offset, _, address, length = struct.unpack_from("<IIIII", elf, table + size * i)
        if kind != PT_LOAD or length == 0:
            continue
        if address != BASE + len(image):
            sys.exit(f"make_image.py: a segment at {address:#x} does not follow what is before it")
        image += elf[offset:offset + length]
    return image + bytes(-len(image) % 4)


def finished(image):
    """With length and checksum in the header."""
    image = bytearray(image)
    if struct.unpack_from("<I", image, 4 * MAGIC_WORD)[0] != MAGIC:
        sys.exit("make_image.py: the ELF file does not begin with the header of an image")
    struct.pack_into("<I", image, 4 * BYTES_WORD, len(image))
    struct.pack_into("<I", image, 4 * CHECKSUM_WORD, 0)
    struct.pack_into("<I", image, 4 * CHECKSUM_WORD, zlib.crc32(image))
    return bytes(image)


def source(image):
    lines = [", ".join(f"0x{byte:02X}" for byte in image[i:i + 16])
             for i in range(0, len(image), 16)]
    return ("// Made by firmware/make_image.py.\n"
            '#include "card/built_in_firmware.h"\n\n'
            "namespace plumbline::card {\nnamespace {\n\n"
            f"constexpr unsigned char kImage[{len(image) or 1}] = {{\n"
            + "".join(f"    {line},\n" for line in lines)
            + "};\n\n}  // namespace\n\n"
            "std::span<const std::uint8_t> builtInFirmware() {\n"
            f"  return std::span<const std::uint8_t>(kImage).first({len(image)});\n}}\n\n"
            "}  // namespace plumbline::card\n")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--none":
        pathlib.Path(sys.argv[2]).write_text(source(b""), encoding="utf-8")
        return
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    elf, image_path, source_path = map(pathlib.Path, sys.argv[1:])
    image = finished(loaded(elf.read_bytes()))
    image_path.write_bytes(image)
    source_path.write_text(source(image), encoding="utf-8")


if __name__ == "__main__":
    main()
