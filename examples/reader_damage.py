"""Which lines of a damaged or edited file count, and what is said of the others: the section "What a reader does with a bad line" of
docs/format.md. In a file that nothing has happened to, every line counts."""

import json
import zlib
from types import SimpleNamespace

from reader_lines import CRC, decode, first_line, line_sum, open_line, pieces, read_header, whole_lines

MAX_LINE = 64 * 2**20 + 64 * 1024
UNSUMMED = "each line is whole, but together they are not what was written"


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


def missing(first, last, is_behind_damage=False):
    words = "seq %d is missing here" % first if first == last else "seq %d to %d are missing here" % (first, last)
    were = "was" if first == last else "were"
    return words + (", or %s in the damaged bytes before" % were if is_behind_damage else "")


def written_header(data, fits):
    """The header with which the lines of a file were written, wherever it stands whole: the first that fits its name. Of several
    right behind each other, the one of the later file, or of the session that has records here."""
    lines = [line[a:b] for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n") for a, b in pieces(line)]
    has_record = lambda header: any((decode(line, header["id"]) or [0])[0] == "record" for line in lines)
    found = None
    for line in lines:
        header = read_header(line) if line.startswith(b'{"longhand":') else None
        if not header or not fits(header):
            if found:
                return found
        elif not found:
            found = header
        elif header["id"] == found["id"]:
            found = max(found, header, key=lambda each: each.get("file", 0))
        elif has_record(header) and not has_record(found):
            found = header
    return found


class Scanner:
    """Decides which lines of one file count: the section "What a reader does with a bad line".

    `found` has, in order: ("record", offset, object), ("checkpoint", offset, object) and ("damage", offset, reason).
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
        glued = pieces(content)
        if len(glued) == 1 or not any(decode(content[a:b], self.salt) for a, b in glued):
            return self.add_bad(offset, stop, terminated, len(glued), reason, content)
        self.report(offset, "%d lines in one: a newline is missing" % len(glued))
        for a, b in glued:
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


def scan(data, salt, first, link):
    """What counts in one file, in order, and the last seq. `link`: of the chain; None for the active file."""
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
    if not start:  # all that is wrong with a first line has one reason
        is_first_line = lambda kind, at, value: (kind, at) == ("damage", 0) and "missing here" not in value
        scanner.found = [("damage", 0, header_reason(header)) if is_first_line(*each) else each for each in scanner.found]
    found, summed, is_explained = check_sums(data, scanner.found)
    if link and len(data) < link["bytes"]:
        words = "the file ends too early, at byte %d of %d" % (len(data), link["bytes"])
        found.append(("damage", len(data) if scanner.torn is None else scanner.torn, words))
    elif scanner.torn is not None:
        found.append(("damage", scanner.torn, scanner.torn_reason))
    elif link and not is_explained and scanner.seq < link["last"]:
        found.append(("damage", end, missing(scanner.seq + 1, link["last"])))
    elif link and not is_explained and "%08x" % zlib.crc32(data[summed[0] : end], summed[1]) != link["sum"]:
        found.append(("damage", summed[0], UNSUMMED))
    return found, scanner.seq


def check_sums(data, found):
    """The same with what the sums of checkpoints do not fit, the last sum with its offset, and whether damage behind that explains another."""
    checked, at, sum_, is_explained = [], 0, 0, False
    for each in found:
        kind, offset, value = each
        if kind == "checkpoint":
            if not is_explained and "%08x" % zlib.crc32(data[at:offset], sum_) != value["sum"]:
                checked.append(("damage", at, UNSUMMED))
            at, sum_ = offset, int(value["sum"], 16)
        is_explained = kind == "damage" or (is_explained and kind == "record")
        checked.append(each)
    return checked, (at, sum_), is_explained
