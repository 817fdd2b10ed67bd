#!/usr/bin/env python3
"""Reads Longhand stores and prints what is in them as JSON lines: sessions, records, damage. Changes nothing.

    python3 reader.py DIRECTORY...

With the standard library alone: a second reader of what docs/format.md describes, and a start for yours.
It reads every file from its first byte, so it is slower than the store, and finds what `longhand verify` finds.
"""

import hashlib
import json
import os
import re
import struct
import sys
import zlib
from types import SimpleNamespace

MAX_LINE = 64 * 2**20 + 64 * 1024
MAX_SEQ = 2**52
MAX_HOLE = 512 * 2**20
OPEN_END = 2**53 - 1
ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
CRC = re.compile(rb',"crc":"([0-9a-f]{8})"\}')
RECORD = re.compile(
    r'\{"seq":([1-9][0-9]{0,15}),"at":"[^"\\]+"(?:,"batch":\[([0-9]+),([0-9]+)\])?(?:,"id":"(?:[^"\\]|\\.)*")?,"(?:message|op)":'
)
SEAM = re.compile(rb'("crc":"[0-9a-f]{8}"\}\r?)[^,]?(?=\{"(?:seq|checkpoint|lost|longhand)":)')
START = re.compile(rb'\{"(?:seq":[0-9]+,"at":"|checkpoint":\{"|lost":\[|longhand":)')
MEMBER = bytes.fromhex("1f8b08040000000000ff0c004c480800")


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


def read_header(line):
    text = open_line(line, "")
    header = json.loads(text) if text else None
    ids = [header.get("id")] + [link.get("session", header["id"]) for link in header.get("chain", [])] if header else []
    if not ids or header.get("longhand") != 1 or not all(isinstance(i, str) and ID.fullmatch(i) for i in ids):
        return None
    return header


def header_reason(line):
    """Why a first line is no header of this format."""
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    version = header.get("longhand") if isinstance(header, dict) else None
    if not isinstance(version, (int, float)) or isinstance(version, bool):
        return "no header line"
    if version > 1:
        return "the number of the format in its header is damaged"
    sealed = open_line(line, "") is not None
    return "the header lacks a valid key, id, time or chain" if sealed else "the header's checksum does not match"


def line_reason(line):
    """Why a line is no record."""
    if len(line) > MAX_LINE:
        return "longer than any record"
    if not line:
        return "an empty line"
    if not line.strip(b"\0"):
        return "filled with NUL bytes"
    return "checksum mismatch" if CRC.fullmatch(line[-18:]) else "not a whole record"


def first_line(data):
    return data[3 * data.startswith(b"\xef\xbb\xbf") :].split(b"\n", 1)[0]


def line_sum(line):
    """The digits of `crc` on a good line."""
    return (line[:-1] if line.endswith(b"\r") else line)[-10:-2].decode()


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


def file_name(key):
    if re.fullmatch(r"[a-z0-9_][a-z0-9_-]{0,79}", key) and not re.fullmatch(r"con|prn|aux|nul|com[0-9]|lpt[0-9]", key):
        return key + ".jsonl"
    slug = re.sub(r"^-", "_", re.sub(r"[^a-z0-9_-]+", "_", key.lower()))[:80]
    digest = hashlib.sha256(key.encode()).digest()
    return slug + "~" + "".join("0123456789abcdefghjkmnpqrstvwxyz"[b & 31] for b in digest[:16]) + ".jsonl"


def empty_state():
    return dict(seq=0, count=0, keepFrom=1, kept=[[1, OPEN_END]], summary="", title=None, tags=[])


def fold(state, record):
    """The state after one more record: the section "The view"."""
    seq, op = record["seq"], record.get("op", "message")
    state = {**state, "seq": seq}
    if op == "message":
        state["count"] += 1
    elif op == "meta":
        state.update({name: record[name] for name in ("title", "tags") if name in record})
    elif op == "reset":
        state.update(kept=[[seq + 1, OPEN_END]], keepFrom=seq + 1, count=0, summary=record.get("summary", state["summary"]))
    elif op in ("summary", "truncate", "compact"):
        state.update({name: record[name] for name in ("summary", "keepFrom", "count") if name in record})
    elif op == "rewind":
        view, to = record.get("view", state), record["to"]
        kept = view["kept"] if "view" in record else [[a, min(b, to)] for a, b in view["kept"] if a <= to]
        state.update(kept=kept + [[seq + 1, OPEN_END]], keepFrom=view["keepFrom"], summary=view["summary"], count=record["count"])
    return state


def is_live(state, record):
    seq = record["seq"]
    return "message" in record and seq >= state["keepFrom"] and any(a <= seq <= b for a, b in state["kept"])


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


def missing(first, last, is_behind_damage=False):
    words = "seq %d is missing here" % first if first == last else "seq %d to %d are missing here" % (first, last)
    were = "was" if first == last else "were"
    return words + (", or %s in the damaged bytes before" % were if is_behind_damage else "")


class Scanner:
    """Decides which lines of one file count: the section "What a reader does with a bad line".

    `found` has, in order: ("record", offset, object), ("checkpoint", offset, object), ("header", offset, object) of a
    header that is not the first line, and ("damage", offset, reason).
    """

    def __init__(self, salt, seq, offset, sum_before):
        self.salt, self.seq, self.end, self.sum_before = salt, seq, offset, sum_before
        self.found, self.bad, self.held, self.batch, self.torn = [], [], None, None, None
        self.refused = self.missing_to = 0

    def line(self, offset, content, terminated):
        stop = offset + len(content) + terminated
        reason = line_reason(content)
        if len(content) > MAX_LINE:
            return self.add_bad(offset, stop, terminated, 1, reason)
        if self.take(offset, content, terminated):
            return
        if not terminated and self.take(offset, content[:-1], False):
            self.found.append(("damage", self.end, "not a newline, where the last record ends"))
            return
        seams = list(SEAM.finditer(content))
        ends = [seam.end(1) for seam in seams] + [len(content)]
        pieces = list(zip([0] + [seam.end() for seam in seams], ends))
        if not seams or not any(decode(content[a:b], self.salt) for a, b in pieces):
            return self.add_bad(offset, stop, terminated, len(pieces), reason, content)
        self.report(offset, "%d lines in one: a newline is missing" % len(pieces))
        for a, b in pieces:
            is_last, piece = b == len(content), content[a:b]
            if not self.take(offset + a, piece, is_last and terminated):
                self.add_bad(
                    offset + a, stop if is_last else offset + b, terminated or not is_last, 1, line_reason(piece), piece
                )

    def take(self, offset, content, terminated):
        """False: the line is bad."""
        kind, value = decode(content, self.salt) or (None, None)
        if kind == "record":
            self.place(SimpleNamespace(first=value["seq"], last=value["seq"], offset=offset, record=value))
        elif kind == "lost":
            self.place(SimpleNamespace(first=value[0], last=value[1], offset=offset, record=None))
        elif kind == "checkpoint":
            self.checkpoint(value, offset)
        elif kind == "header":
            self.report(offset, "a header that is not the first line")
            self.found.append(("header", offset, value))
        if kind:
            self.sum_before, self.end = line_sum(content), offset + len(content) + terminated
        return kind is not None

    def add_bad(self, offset, stop, terminated, records, reason, content=b""):
        self.sum_before = None
        if not terminated:
            self.torn, self.torn_reason = self.end, reason
            return
        self.accept(self.held)
        for a, b in whole_lines(content, self.salt):
            kind, value = decode(content[a:b], self.salt)
            if kind == "record":  # given, though a reader does not serve it: a repair does
                index, count = value.get("batch", (1, 1))
                self.refused = max(self.refused, value["seq"] - index + count)
        self.bad.append((offset, records, reason))
        self.end = stop

    def report(self, offset, reason):
        """Damage that no crash leaves: a whole line is missing, or where it does not belong."""
        self.found.append(("damage", offset, reason))
        if self.batch:
            self.batch.edited = True

    def lost(self):
        return sum(records for _, records, _ in self.bad)

    def place(self, item):
        if self.held and item.last > self.seq:
            if item.last > self.held.last:
                self.accept(self.held)
            elif item.last < self.held.first:
                self.refuse(self.held)
        gap = item.first - 1 - self.seq
        before = self.held.last if self.held else self.seq
        if item.last <= before:
            self.refuse(item, before)
        elif gap <= 0 or gap == self.lost():
            self.accept(item)
        else:
            self.held = item

    def checkpoint(self, value, offset):
        seq, held = value["checkpoint"]["seq"], self.held
        if "offset" in value and "before" in value:
            in_place = value["offset"] == offset and self.sum_before in (None, value["before"])
        else:
            in_place = seq in (self.seq, held and held.last) or (self.bad and seq > self.seq)
        if in_place and held:
            (self.accept if seq >= held.last else self.refuse)(held)
        if not in_place or seq < self.seq:
            self.refused = max(self.refused, seq)
            self.report(offset, "a checkpoint of seq %d that is not where it was written" % seq)
            return
        self.pass_to(seq + 1, offset)
        self.seq = seq
        self.close_batch()
        self.found.append(("checkpoint", offset, value))

    def accept(self, item):
        if item is None:
            return
        self.held = None
        self.pass_to(item.first, item.offset)
        self.seq = item.last
        if self.batch and not self.batch.first <= item.first <= self.batch.last:
            self.close_batch()
        if item.record and "batch" in item.record and not self.batch:
            index, count = item.record["batch"]
            first = item.first - index + 1
            self.batch = SimpleNamespace(first=first, last=first + count - 1, offset=item.offset, records=[], edited=False)
            self.batch.broken = self.missing_to >= first
        if item.record:
            (self.batch.records if self.batch else self.found).append(("record", item.offset, item.record))
        if self.batch and self.seq >= self.batch.last:
            self.close_batch()

    def refuse(self, item, after=None):
        self.held = None if item is self.held else self.held
        what = "seq %d" % item.first if item.record else "lost records %d to %d" % (item.first, item.last)
        index, count = item.record.get("batch", (1, 1)) if item.record else (1, 1)
        self.refused = max(self.refused, item.last - index + count)
        after = self.seq if after is None else after
        self.report(item.offset, "%s after seq %d: a copy, or out of order" % (what, after))

    def pass_to(self, seq, offset):
        """The record `seq` counts: reports the damaged lines before it, and the seqs that are missing without a trace."""
        is_missing, is_behind_damage = seq - 1 - self.seq > self.lost(), bool(self.bad)
        self.report_bad()
        if is_missing:
            self.report(offset, missing(self.seq + 1, seq - 1, is_behind_damage))
            self.missing_to = seq - 1
            if self.batch and self.seq < self.batch.last:
                self.batch.broken = True

    def report_bad(self):
        self.found += [("damage", offset, reason) for offset, _, reason in self.bad]
        self.bad = []

    def close_batch(self):
        batch, self.batch = self.batch, None
        if batch and batch.broken:
            words = "a batch of %d records, seq %d to %d, of which some are missing"
            self.report(batch.offset, words % (batch.last - batch.first + 1, batch.first, batch.last))
        elif batch:
            self.found += batch.records

    def finish(self, is_sealed):
        """All lines were shown. `seq` is then the highest that was given, `torn` where a torn end begins."""
        self.accept(self.held)
        last, batch = self.seq + self.lost(), self.batch
        if batch and (last if self.torn is None else self.seq) < batch.last:
            if not (is_sealed or batch.broken or batch.edited or self.refused >= batch.first):
                self.seq, self.torn = max(batch.first - 1, self.refused), batch.offset
                self.torn_reason = "an unfinished batch"
                return
            batch.broken = True
        elif batch and self.refused > last:
            batch.broken = True  # the next seq is higher than the damaged lines at the end can be
        self.report_bad()
        self.close_batch()
        self.seq = max(last, batch.last if batch else 0, self.refused)


def scan_part(data, salt, first, link, state):
    """Records, state, damage (offsets and reasons) and second header of one file. `link`: of the chain; None for the active file."""
    end = min(len(data), link["bytes"]) if link else len(data)
    header = first_line(data)
    offset = start = min(end, data.find(b"\n") + 1 or len(data)) if read_header(header) else 0
    scanner = Scanner(salt, first - 1, start, line_sum(header) if start else None)
    while offset < end:
        newline = data.find(b"\n", offset, end)
        stop = end if newline == -1 else newline
        scanner.line(offset, data[offset:stop], newline != -1)
        offset = stop + 1
    scanner.finish(link is not None)
    records, damage, second, torn = [], [], None, scanner.torn
    summed, sum_, explained = 0, 0, False
    unsummed = "each line is whole, but together they are not what was written"
    for kind, at, value in scanner.found:
        if kind == "damage":
            is_first_line = at == 0 and not start and "missing here" not in value
            damage.append((at, header_reason(header) if is_first_line else value))
            explained = True
        elif kind == "header":
            second = value if at == start else second
        elif kind == "checkpoint":
            if "%08x" % zlib.crc32(data[summed:at], sum_) != value["sum"] and not explained:
                damage.append((summed, unsummed))
            summed, sum_, explained = at, int(value["sum"], 16), False
            if link is None or value["checkpoint"]["seq"] <= link["last"]:
                state = {**empty_state(), **value["checkpoint"]}
        elif link is None or value["seq"] <= link["last"]:
            records.append(value)
            state = fold(state, value)
    if link and len(data) < link["bytes"]:
        words = "the file ends too early, at byte %d of %d" % (len(data), link["bytes"])
        damage.append((len(data) if torn is None else torn, words))
    elif torn is not None:
        damage.append((torn, scanner.torn_reason))
    elif link and not explained:
        if scanner.seq < link["last"]:
            damage.append((end, missing(scanner.seq + 1, link["last"])))
        elif "%08x" % zlib.crc32(data[summed:end], sum_) != link["sum"]:
            damage.append((summed, unsummed))
    return records, {**state, "seq": link["last"] if link else max(state["seq"], scanner.seq)}, damage, second


def gunzip(data, damage):
    """The members one behind the other. One that is damaged reads as NULs, and is reported."""
    content, at = b"", 0
    while data.startswith(MEMBER, at):
        length, size = struct.unpack_from("<II", data, at + len(MEMBER))
        try:
            part = zlib.decompress(data[at : at + length], wbits=31)
        except zlib.error:
            damage.append((len(content), size, "a damaged gzip member (byte %d of the compressed file)" % at))
            part = bytes(size - 1) + b"\n"
        content, at = content + part, at + length
    return content


BLOCK = re.compile(rb'\{"generation":([0-9]+),"block":([0-9]+),"bytes":([0-9]+),"crc":"([0-9a-f]{8})"\}\n')


def read_block(data, at, head):
    """The number of the block that begins there, its records, and where it ends; None: there is no valid one."""
    first = BLOCK.match(data, at)
    if not first or int(first[1]) != head["generation"]:
        return None
    number, size = int(first[2]), int(first[3])
    payload = data[first.end() : first.end() + size]
    salt = "%s/%d/%d/%d" % (head["instance"], head["generation"], number, size)
    if len(payload) != size or crc(salt, payload) != first[4].decode():
        return None
    return number, payload, first.end() + size


def read_blocks(data, head):
    """The payload of each block of the head's generation, with how many bytes before it are damaged; and what is damaged, in words."""
    at, number, lost, found, words = 8192, 1, 0, [], []
    while True:
        block = read_block(data, at, head)
        if block is None or block[0] != number:
            start, next_at = b'{"generation":%d,"block":' % head["generation"], at
            while (next_at := data.find(start, next_at)) != -1:
                block = read_block(data, next_at, head)
                if block and block[0] >= number:
                    break
                next_at += 1
            if next_at == -1:
                return found, "; ".join(words)
            if block[0] == number:
                words.append("something that is no block stands before block %d" % number)
            elif block[0] == number + 1:
                words.append("block %d is damaged, block %d behind it is not" % (number, number + 1))
            else:
                words.append("blocks %d to %d are damaged, block %d behind them is not" % (number, block[0] - 1, block[0]))
            lost += next_at - at
        number, at = block[0] + 1, block[2]
        found.append((block[1], lost))


def read_journals(directory, damage):
    """Records of every journal, by session id and file number. Those of a closed store have none."""
    patches, journals = {}, os.path.join(directory, ".longhand", "journal")
    for name in sorted(os.listdir(journals)) if os.path.isdir(journals) else []:
        if not name.endswith(".journal") or not ID.fullmatch(name[:-8]):
            continue
        data = read_file(os.path.join(journals, name))
        heads = [open_line(data[at : at + 4096].split(b"\n")[0], "journal") for at in (0, 4096)]
        heads = [json.loads(head) for head in heads if head]
        if not heads:
            words = "neither copy of its head is readable"
            damage += [(os.path.join(journals, name), 0, words)] if len(data) > 8192 else []
            continue
        head = max(heads, key=lambda head: head["generation"])
        blocks, words = read_blocks(data, head)
        damage += [(os.path.join(journals, name), 0, words)] if words else []
        last = {}  # of each file: where the last record of it ends, and what was lost before that
        for payload, lost in blocks:
            while payload:
                line, payload = payload.split(b"\n", 1)
                place = json.loads(line)
                offset, content, key = place["offset"], payload[: place["bytes"]], (place["session"], place["file"])
                since, lost_before = last.get((*key, place["name"]), (None, 0))
                gap = (lost - lost_before, since) if lost > lost_before else None
                patch = (offset, content, place.get("after"), place["name"], gap, os.path.join(journals, name))
                patches.setdefault(key, []).append(patch)
                last[(*key, place["name"])] = offset + len(content), lost
                payload = payload[place["bytes"] :]
    return patches


def write_at(data, offset, content):
    return data[:offset].ljust(offset, b"\0") + content + data[offset + len(content) :]


def line_at(data, at):
    """The line that has this byte: where it begins, and its bytes with the newline."""
    start, newline = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
    return start, data[start : len(data) if newline == -1 else newline + 1]


def is_behind(data, salt, offset, after):
    """Does the line end at `offset` after which a record was written, or a damaged one?"""
    if not 0 < offset <= len(data):
        return False
    ends = [b',"crc":"%s"}%s' % (after.encode(), newline) for newline in (b"\n", b"\r\n")]
    flipped = lambda end: bin(int.from_bytes(end, "big") ^ int.from_bytes(data[:offset][-len(end) :], "big")).count("1")
    start, line = line_at(data, offset - 1)
    return any(flipped(end) <= 1 for end in ends) or open_line(line.removesuffix(b"\n"), salt if start else "") is None


def others_under(data, salt, offset, content):
    """Whole lines that the record would hit, and that are not its own."""
    found, at, end = [], offset, offset + len(content)
    while data[offset:end] != content[: len(data[offset:end])] and at < min(end, len(data)):
        start, line = line_at(data, at)
        line = line.removesuffix(b"\n")
        is_whole = open_line(line, salt if start else "") is not None
        for a, b in [(0, len(line))] if is_whole else whole_lines(line, salt):
            is_ours = is_whole or open_line(line[a:b], salt) is not None
            is_own = start + a >= offset and content.startswith(line[a:b], start + a - offset)
            if is_ours and not is_own and start + a < end and start + b > offset:
                found.append(line[a:b])
        at = line_at(data, at)[0] + len(line_at(data, at)[1])
    return found


def run_from(data, salt, patch, patches, written):
    """The record and all that follow it, if they reach the end of the file and hit only lines that are written again."""
    run = [patch]
    while True:
        end = run[-1][0] + len(run[-1][1])
        after = line_sum(run[-1][1].removesuffix(b"\n"))
        follows = [each for each in patches if each[0] == end and each[2] in (None, after)]
        if len({each[1] for each in follows}) > 1:
            return []
        if not follows:
            break
        run.append(follows[0])
    known = {line for each in written + run for line in each[1].split(b"\n")}
    hits = [line for each in run for line in others_under(data, salt, each[0], each[1])]
    return run if end >= len(data) and known.issuperset(hits) else []


def lay_over(data, salt, patches):
    """The file with the records of journals in it, and those that do not fit: the end of the section "The journal"."""
    patches, written, strays = sorted(patches, key=lambda patch: patch[0]), [], []
    for patch in patches:
        offset, content, after, _, gap, _ = patch
        if patch in written:
            continue
        stray_ends = [each[0] + len(each[1]) for each in strays]
        is_left = after is None and offset in stray_ends
        is_lost = gap is not None and offset - len(data) <= gap[0]
        is_lost = is_lost and (gap[1] is None or (gap[1] <= len(data) and gap[1] not in stray_ends))
        if is_left or (after is None and offset > len(data) + MAX_HOLE):
            run = []
        elif offset > len(data):
            run = [patch] if is_lost or (gap is None and after is None) else []
            data = write_at(data, offset - 1, b"\n") if run else data
        elif after is not None and not is_behind(data, salt, offset, after):
            run = []
        elif not others_under(data, salt, offset, content):
            run = [patch]
        else:
            run = run_from(data, salt, patch, patches, written)
        for each in run:
            data = write_at(data, each[0], each[1])
        written += run
        strays += [] if run else [patch]
    return data, strays


def sums_in(data, salt):
    """The seq and the checksum of every whole record."""
    found = set()
    for line in data.split(b"\n"):
        for a, b in whole_lines(line, salt):
            kind, value = decode(line[a:b], salt)
            if kind == "record":
                found.add((value["seq"], line_sum(line[a:b])))
    return found


def read_file(path):
    with open(path, "rb") as file:
        return file.read()


def read_sealed(directory, session, link, patches, damage):
    """The bytes of a sealed file: plain, if that is there, else compressed. None: neither is."""
    path = os.path.join(directory, "segments", session, "%d.jsonl" % link["file"])
    if os.path.exists(path):
        data = read_file(path)
        patched = data
        for offset, content, *_ in patches:
            patched = write_at(patched, offset, content) if offset + len(content) <= link["bytes"] else patched
        return path, patched if "%08x" % zlib.crc32(patched[: link["bytes"]]) == link["sum"] else data
    if os.path.exists(path + ".gz"):
        return path + ".gz", gunzip(read_file(path + ".gz"), damage)
    return path, None


def missing_strays(strays, salt, data):
    """Damage for records of journals that do not fit the file, as far as they are nowhere else in it."""
    known, seqs = sums_in(data, salt), set()
    for stray in strays:
        seqs.update(seq for seq, _ in sums_in(stray[1], salt) - known)
    words = "%s that a dead process has acknowledged in its journal do not fit this file, which was replaced or overwritten since. Opening the store for writing keeps them in .longhand/damaged"
    return [(strays[0][0], words % count_seqs(seqs))] if seqs else []


def count_seqs(seqs):
    runs = []
    for seq in sorted(seqs):
        if runs and runs[-1][1] == seq - 1:
            runs[-1][1] = seq
        else:
            runs.append([seq, seq])
    named = ", ".join(str(a) if a == b else "%d to %d" % (a, b) for a, b in runs)
    return "%d record%s (seq %s)" % (len(seqs), "" if len(seqs) == 1 else "s", named)


def without_file(directory, patches, found):
    """Damage for records of journals whose session has no file with a readable header. `found`: ids and names of those that have."""
    groups = {}
    for (session, _), own in patches.items():
        for _, content, _, name, _, journal in own:
            if (session, name) not in found and not os.path.exists(os.path.join(directory, ".longhand", "removed", session)):
                seqs = groups.setdefault((journal, session, name), set())
                seqs.update(seq for seq, _ in sums_in(content, session))
    for (journal, _, name), seqs in groups.items():
        there = os.path.exists(os.path.join(directory, name))
        why = "whose header cannot be read as it stands" if there else "and no file in the store has that session's id"
        yield journal, 0, "a dead process has acknowledged %s of %s, %s" % (count_seqs(seqs), name, why)


def read_session(directory, path, header, patches, damage):
    """Records and state; None: another header follows the first, and is the one with which the lines were written."""
    state, records, first = empty_state(), [], 1
    for link in header.get("chain", []):
        first = link["last"] + 1
        if "dropped" in link:
            continue
        salt, lost = link.get("session", header["id"]), []
        shared = patches.get((salt, link["file"]), []) if salt != header["id"] else []
        name, data = read_sealed(directory, header["id"], link, shared, lost)
        if data is None:
            words = "this segment, records %d to %d, is not there" % (link["first"], link["last"])
            damage.append((name, 0, words))
            continue
        found, state, more, _ = scan_part(data, salt, link["first"], link, state)
        records += found
        damage += [(name, at, why) for at, _, why in lost]
        damage += [(name, at, why) for at, why in more if not any(a <= at <= a + n for a, n, _ in lost)]
    own = [each for each in patches.get((header["id"], header.get("file", 0)), []) if each[3] == file_name(header["key"])]
    data, strays = lay_over(read_file(path), header["id"], own)
    found, state, more, second = scan_part(data, header["id"], first, None, state)
    damage += [(path, at, why) for at, why in missing_strays(strays, header["id"], data) + more]
    if second and second["id"] == header["id"] and second.get("file", 0) > header.get("file", 0):
        return None
    if second and second["id"] != header["id"] and second["key"] == header["key"] and not found:
        return None
    return records + found, state


def unreadable(data):
    return header_reason(first_line(data)) if data else "an empty file"


def read_store(directory):
    damage, ids, readable = [], set(), set()
    patches = read_journals(directory, damage)
    for status, place in (("active", ""), ("archived", "archive"), ("trashed", "trash")):
        folder = os.path.join(directory, place) if place else directory
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            path = os.path.join(folder, name)
            if not name.endswith(".jsonl") or name.startswith(".") or not os.path.isfile(path):
                continue
            data = read_file(path)
            others = [read_header(line) for line in data.split(b"\n")[1:] if line.startswith(b'{"longhand":')]
            first = read_header(first_line(data))
            readable.update([(first["id"], file_name(first["key"]))] if first else [])
            expected = lambda header: file_name(header["key"])[:-5] + (header["id"] + "." if place else "") + "jsonl"
            header = next((each for each in [first, *others] if each and name == expected(each)), None)
            if header is None:
                ids.update([first["id"]] if first else ID.findall(name))
                start = b'{"longhand":'
                if start in data or start.startswith(first_line(data)) or b',"crc":"' in data:
                    words = 'it holds the key %s, whose file is %s'
                    named = words % (json.dumps(first["key"], ensure_ascii=False), expected(first)) if first else ""
                    damage.append((path, 0, named or unreadable(data)))  # otherwise it is of another program
                continue
            ids.add(header["id"])
            read = read_session(directory, path, header, patches, damage)
            folder_of = os.path.join(directory, "segments", header["id"])
            named = {"%d.jsonl%s" % (link["file"], end) for link in header.get("chain", []) for end in ("", ".gz")}
            for other in sorted(os.listdir(folder_of)) if os.path.isdir(folder_of) else []:
                orphan = os.path.join(folder_of, other)
                if other not in named and not other.startswith(".") and not os.path.samefile(orphan, path):
                    damage.append((orphan, 0, "the session's chain does not name this file"))
            if read is None or header is not first:
                continue
            records, state = read
            shown = {name: state[name] for name in ("seq", "count", "summary", "title", "tags")}
            print(json.dumps({"session": header["id"], "key": header["key"], "status": status, **shown}))
            for record in records:
                print(json.dumps({"of": header["id"], "live": is_live(state, record), "record": record}))
    segments = os.path.join(directory, "segments")
    for name in sorted(os.listdir(segments)) if os.path.isdir(segments) else []:
        path = os.path.join(segments, name)
        if name not in ids and not name.startswith(".") and not (os.path.isdir(path) and not os.listdir(path)):
            damage.append((path, 0, "no session names this, neither an active one nor one that was put away"))
    damage += without_file(directory, patches, readable)
    for path, offset, reason in sorted(set(damage)):
        print(json.dumps({"damage": os.path.relpath(path, directory), "offset": offset, "reason": reason}))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: reader.py DIRECTORY...")
    for each in sys.argv[1:]:
        print(json.dumps({"store": each}))
        read_store(each)
