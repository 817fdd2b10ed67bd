"""Lines of a session file: the section "Lines" of docs/format.md. A line is JSON with a checksum that the session's id salts."""

import json
import re
import zlib

MAX_SEQ = 2**52
ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
CRC = re.compile(rb',"crc":"([0-9a-f]{8})"\}')
RECORD = re.compile(
    r'\{"seq":([1-9][0-9]{0,15}),"at":"[^"\\]+"(?:,"batch":\[([0-9]+),([0-9]+)\])?(?:,"id":"(?:[^"\\]|\\.)*")?,"(?:message|op)":'
)
SEAM = re.compile(rb'("crc":"[0-9a-f]{8}"\}\r?)[^,]?(?=\{"(?:seq|checkpoint|lost|longhand)":)')
START = re.compile(rb'\{"(?:seq":[0-9]+,"at":"|checkpoint":\{"|lost":\[|longhand":)')


def crc(salt, data):
    return "%08x" % zlib.crc32(data, zlib.crc32(salt.encode()))


def open_line(line, salt):
    """The text of a line whose checksum is right, without `crc`; None otherwise."""
    line = line[:-1] if line.endswith(b"\r") else line
    sum_ = CRC.fullmatch(line[-18:])
    if len(line) < 19 or sum_ is None or sum_[1].decode() != crc(salt, line[:-18]):
        return None
    try:
        return line[:-18].decode() + "}"
    except UnicodeDecodeError:
        return None


def line_sum(line):
    """The digits of `crc` on a good line."""
    return (line[:-1] if line.endswith(b"\r") else line)[-10:-2].decode()


def read_header(line):
    text = open_line(line, "")
    header = json.loads(text) if text else None
    ids = [header.get("id")] + [link.get("session", header["id"]) for link in header.get("chain", [])] if header else []
    if not ids or header.get("longhand") != 1 or not all(isinstance(i, str) and ID.fullmatch(i) for i in ids):
        return None
    return header


def decode(line, salt):
    """What a line is, and its value; None: it is damaged."""
    text = open_line(line, salt)
    if text is None:
        header = read_header(line) if line.startswith(b'{"longhand":') else None
        return header and ("header", header)
    record = RECORD.match(text)
    if record and int(record[1]) <= MAX_SEQ:
        return "record", json.loads(text)
    if text.startswith('{"checkpoint":'):
        return "checkpoint", json.loads(text)
    if text.startswith('{"lost":'):
        return "lost", json.loads(text)["lost"]
    return "other", None


def first_line(data):
    return data.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0]


def pieces(line):
    """Where the lines in a line begin and end: more than one, if newlines were removed."""
    seams = list(SEAM.finditer(line))
    return list(zip([0] + [seam.end() for seam in seams], [seam.end(1) for seam in seams] + [len(line)]))


def whole_lines(content, salt):
    """The whole lines in a line, the first of two that overlap: (start, end). More than one, if newlines were removed."""
    if decode(content, salt):
        return [(0, len(content))]
    found, done = [], 0
    for seal in CRC.finditer(content):
        for start in START.finditer(content, done, seal.end()):
            if decode(content[start.start() : seal.end()], salt):
                found.append((start.start(), seal.end()))
                done = seal.end()
                break
    return found
