#!/usr/bin/env python3
"""Reads Longhand stores and prints what is in them as JSON lines: sessions, records, damage. Changes nothing.

    python3 reader.py DIRECTORY...

Written from docs/format.md alone, with the standard library: a second reader of the format, and a start for yours.
It reads every file from its first byte, so it is slower than the store, and finds what `longhand verify` finds.
"""

import hashlib
import json
import os
import re
import struct
import sys
import zlib

MAX_LINE = 64 * 2**20 + 64 * 1024
MAX_SEQ = 2**52
OPEN_END = 2**53 - 1
ID = re.compile(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
CRC = re.compile(rb',"crc":"([0-9a-f]{8})"\}')
RECORD = re.compile(
    r'\{"seq":([1-9][0-9]{0,15}),"at":"[^"\\]+"(?:,"batch":\[([0-9]+),([0-9]+)\])?(?:,"id":"(?:[^"\\]|\\.)*")?,"(?:message|op)":'
)
SEAM = re.compile(rb'"crc":"[0-9a-f]{8}"\}(?s:.)\{"seq":')
MEMBER = bytes.fromhex("1f8b08040000000000ff0c004c480800")


def crc(salt, data):
    return "%08x" % zlib.crc32(data, zlib.crc32(salt.encode()))


def open_line(line, salt):
    """The object of a line whose checksum is right, without `crc`; None otherwise."""
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


class Scanner:
    """Walks the lines of one file behind its header: the section "What a reader does with a bad line"."""

    def __init__(self, salt, seq):
        self.salt, self.seq, self.batch, self.bad = salt, seq, [], []
        self.items, self.damage = [], []

    def line(self, offset, content, terminated):
        text = None if len(content) > MAX_LINE else open_line(content, self.salt)
        if text is None and not terminated and (text := open_line(content[:-1], self.salt)) is not None:
            self.damage.append((offset + len(content) - 1, 1))
        if text is None:
            self.bad.append((offset, len(content) + terminated, terminated, 1 + len(SEAM.findall(content))))
            return
        record = RECORD.match(text)
        if record and int(record[1]) <= MAX_SEQ:
            self.place(json.loads(text), offset, len(content) + terminated)
        elif text.startswith('{"checkpoint":'):
            value = json.loads(text)
            seq, explained = value["checkpoint"]["seq"], bool(self.bad)
            self.settle()
            if seq >= self.seq:
                self.gap(seq + 1, offset, explained)
                self.items.append(("checkpoint", offset, value))
        elif text.startswith('{"lost":'):
            first, last = json.loads(text)["lost"]
            self.settle()
            if first <= self.seq + 1:
                self.seq = max(self.seq, last)
        else:
            self.settle()

    def place(self, record, offset, size):
        seq, (index, count) = record["seq"], record.get("batch", (0, 0))
        if seq <= self.seq:
            self.damage.append((offset, size))
            return
        explained, continues = bool(self.bad), bool(self.batch) and index == len(self.batch) + 1
        if not continues or explained:
            self.settle()
        self.gap(seq, offset, explained)
        self.seq = seq
        if count and (continues or index == 1):
            self.batch.append((offset, record))
            if index == count:
                self.settle()
        else:
            self.items.append(("record", offset, record))

    def gap(self, seq, offset, explained):
        if seq > self.seq + 1 and not explained:
            self.damage.append((offset, 0))
        self.seq = max(self.seq, seq - 1)

    def settle(self):
        self.items += [("record", offset, record) for offset, record in self.batch]
        self.damage += [(offset, size) for offset, size, _, _ in self.bad]
        self.batch, self.bad = [], []

    def finish(self):
        """Where the torn end begins; None: there is none."""
        lost = sum(records for _, _, _, records in self.bad)
        if self.batch and not (len(self.batch) + lost >= self.batch[0][1]["batch"][1] and self.bad and self.bad[-1][2]):
            self.seq, torn = self.batch[0][1]["seq"] - 1, self.batch[0][0]
            self.batch, self.bad = [], []
            return torn
        torn = self.bad.pop()[0] if self.bad and not self.bad[-1][2] else None
        self.seq += sum(records for _, _, _, records in self.bad)
        self.settle()
        return torn


def scan_part(data, salt, first, link, state):
    """Records, state and damage (offsets) of one file. `link`: of the chain; None for the active file."""
    end = min(len(data), link["bytes"]) if link else len(data)
    start = min(end, data.find(b"\n") + 1 or len(data))
    if read_header(data[3 * data.startswith(b"\xef\xbb\xbf") : start].rstrip(b"\r\n")) is None:
        start = 0
    scanner, offset = Scanner(salt, first - 1), start
    while offset < end:
        newline = data.find(b"\n", offset, end)
        stop = end if newline == -1 else newline
        scanner.line(offset, data[offset:stop], newline != -1)
        offset = stop + 1
    torn = scanner.finish()
    damage, summed = list(scanner.damage), (0, 0)
    explained = lambda a, b: any(a <= at < b for at, _ in scanner.damage)
    records = []
    for kind, at, value in scanner.items:
        if kind == "record":
            if link is None or value["seq"] <= link["last"]:
                records.append(value)
                state = fold(state, value)
            continue
        if "%08x" % zlib.crc32(data[summed[0] : at], summed[1]) != value["sum"] and not explained(summed[0], at + 1):
            damage.append((summed[0], at - summed[0]))
        summed = (at, int(value["sum"], 16))
        if link is None or value["checkpoint"]["seq"] <= link["last"]:
            state = {**empty_state(), **value["checkpoint"]}
    if torn is not None:
        damage.append((torn, end - torn))
    if link is None:
        return records, {**state, "seq": max(state["seq"], scanner.seq)}, damage
    if len(data) < link["bytes"]:
        if damage and damage[-1][1] and sum(damage[-1]) == len(data):
            damage[-1] = (damage[-1][0], link["bytes"] - damage[-1][0])
        else:
            damage.append((len(data), link["bytes"] - len(data)))
    elif torn is None and not explained(summed[0], end + 1):
        if scanner.seq < link["last"]:
            damage.append((end, 0))
        elif "%08x" % zlib.crc32(data[summed[0] : end], summed[1]) != link["sum"]:
            damage.append((summed[0], end - summed[0]))
    return records, {**state, "seq": link["last"]}, damage


def gunzip(data, damage):
    """The members one behind the other. One that is damaged reads as NULs, and is reported."""
    content, at = b"", 0
    while data.startswith(MEMBER, at):
        length, size = struct.unpack_from("<II", data, at + len(MEMBER))
        try:
            part = zlib.decompress(data[at : at + length], wbits=31)
        except zlib.error:
            damage.append((len(content), size))
            part = bytes(size - 1) + b"\n"
        content, at = content + part, at + length
    return content


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
            damage += [(os.path.join(journals, name), 0)] if len(data) > 8192 else []
            continue
        head = max(heads, key=lambda head: head["generation"])
        at, number, pattern = 8192, 1, rb'\{"generation":([0-9]+),"block":([0-9]+),"bytes":([0-9]+),"crc":"([0-9a-f]{8})"\}\n'
        while first := re.compile(pattern).match(data, at):
            generation, block, size = (int(first[n]) for n in (1, 2, 3))
            payload = data[first.end() : first.end() + size]
            salt = "%s/%d/%d/%d" % (head["instance"], generation, block, size)
            if (generation, block) != (head["generation"], number) or crc(salt, payload) != first[4].decode():
                break
            at, number = first.end() + size, number + 1
            while payload:
                line, payload = payload.split(b"\n", 1)
                place = json.loads(line)
                patches.setdefault((place["session"], place["file"]), []).append((place["offset"], payload[: place["bytes"]]))
                payload = payload[place["bytes"] :]
    return patches


def lay_over(data, patches):
    for offset, content in patches:
        data = data[:offset].ljust(offset, b"\0") + content + data[offset + len(content) :]
    return data


def read_file(path):
    with open(path, "rb") as file:
        return file.read()


def read_sealed(directory, session, link, patches, damage):
    """The bytes of a sealed file: plain, if that is there, else compressed. None: neither is."""
    path = os.path.join(directory, "segments", session, "%d.jsonl" % link["file"])
    if os.path.exists(path):
        data = read_file(path)
        within = [patch for patch in patches if patch[0] + len(patch[1]) <= link["bytes"]]
        patched = lay_over(data, within)
        return path, patched if "%08x" % zlib.crc32(patched[: link["bytes"]]) == link["sum"] else data
    if os.path.exists(path + ".gz"):
        return path + ".gz", gunzip(read_file(path + ".gz"), damage)
    return path, None


def read_session(directory, path, header, patches, damage):
    state, records, first = empty_state(), [], 1
    for link in header.get("chain", []):
        first = link["last"] + 1
        if "dropped" in link:
            continue
        salt, lost = link.get("session", header["id"]), []
        name, data = read_sealed(directory, header["id"], link, patches.get((salt, link["file"]), []), lost)
        if data is None:
            damage.append((name, 0))
            continue
        found, state, more = scan_part(data, salt, link["first"], link, state)
        records += found
        damage += [(name, at) for at, _ in lost + [each for each in more if not any(a <= each[0] < a + n for a, n in lost)]]
    data = lay_over(read_file(path), patches.get((header["id"], header.get("file", 0)), []))
    found, state, more = scan_part(data, header["id"], first, None, state)
    damage += [(path, at) for at, _ in more]
    return records + found, state


def read_store(directory):
    damage, ids = [], set()
    patches = read_journals(directory, damage)
    for status, place in (("active", ""), ("archived", "archive"), ("trashed", "trash")):
        folder = os.path.join(directory, place) if place else directory
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            path = os.path.join(folder, name)
            if not name.endswith(".jsonl") or name.startswith(".") or not os.path.isfile(path):
                continue
            data = read_file(path)
            header = read_header(data[3 * data.startswith(b"\xef\xbb\xbf") :].split(b"\n")[0])
            if header is None:
                ids.update(ID.findall(name))
                start = b'{"longhand":'
                if data.startswith(start) or start.startswith(data[:12]) or b',"crc":"' in data:
                    damage.append((path, 0))  # otherwise it is of another program
                continue
            ids.add(header["id"])
            expected = file_name(header["key"])
            if name != (expected if status == "active" else "%s.%s.jsonl" % (expected[:-6], header["id"])):
                damage.append((path, 0))
                continue
            records, state = read_session(directory, path, header, patches, damage)
            folder_of = os.path.join(directory, "segments", header["id"])
            named = {"%d.jsonl%s" % (link["file"], end) for link in header.get("chain", []) for end in ("", ".gz")}
            for other in sorted(os.listdir(folder_of)) if os.path.isdir(folder_of) else []:
                orphan = os.path.join(folder_of, other)
                if other not in named and not other.startswith(".") and not os.path.samefile(orphan, path):
                    damage.append((orphan, 0))
            shown = {name: state[name] for name in ("seq", "count", "summary", "title", "tags")}
            print(json.dumps({"session": header["id"], "key": header["key"], "status": status, **shown}))
            for record in records:
                print(json.dumps({"of": header["id"], "live": is_live(state, record), "record": record}))
    segments = os.path.join(directory, "segments")
    for name in sorted(os.listdir(segments)) if os.path.isdir(segments) else []:
        path = os.path.join(segments, name)
        if name not in ids and not name.startswith(".") and not (os.path.isdir(path) and not os.listdir(path)):
            damage.append((path, 0))
    for path, offset in sorted(set(damage)):
        print(json.dumps({"damage": os.path.relpath(path, directory), "offset": offset}))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: reader.py DIRECTORY...")
    for each in sys.argv[1:]:
        print(json.dumps({"store": each}))
        read_store(each)
