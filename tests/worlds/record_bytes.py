"""The bytes of a record, for tests that alter them."""

import struct
import zlib

HEADER, FOOTER, SCHEMA, CHANNEL, CHUNK, MESSAGE_INDEX = 0x01, 0x02, 0x03, 0x04, 0x06, 0x07
STATISTICS, METADATA, DATA_END, SEAL = 0x0B, 0x0C, 0x0F, 0x80


def parts(data):
    """Kind, start and end of each record of an MCAP file, up to its last bytes or a torn one."""
    at = 8
    while at + 9 <= len(data) and bytes(data[at:]) != bytes(data[:8]):
        end = at + 9 + int.from_bytes(data[at + 1 : at + 9], "little")
        if end > len(data):
            return
        yield data[at], at, end
        at = end


def resealed(data):
    """With the checksums that it would have, had it been written so: what then is wrong with it,
    only its answers can tell."""
    data = bytearray(data)
    for kind, start, end in parts(data):
        body = start + 9
        if kind == CHUNK:
            struct.pack_into("<I", data, body + 24, zlib.crc32(data[body + 40 : end]))
        elif kind == SEAL:
            struct.pack_into("<QI", data, body, start, zlib.crc32(data[:start]))
        elif kind == DATA_END:
            struct.pack_into("<I", data, body, zlib.crc32(data[:start]))
            summary = end
        elif kind == FOOTER:
            struct.pack_into("<I", data, end - 4, zlib.crc32(data[summary : end - 4]))
    return bytes(data)
