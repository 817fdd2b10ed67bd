#!/usr/bin/env python3
"""Reads Longhand stores and prints what is in them as JSON lines: sessions, records, damage. Changes nothing.

    python3 reader.py DIRECTORY...

With the standard library alone: a second reader of what docs/format.md describes, and a start for yours.
It reads every file from its first byte, so it is slower than the store, and finds what `longhand verify` finds.
Begin here. reader_lines.py has the lines, reader_damage.py what is done about bad ones, reader_journal.py what a killed writer has left.
"""

import hashlib
import json
import os
import re
import struct
import sys
import zlib

from reader_damage import header_reason, scan, written_header
from reader_journal import lay_over, missing_strays, read_journals, without_file, write_at
from reader_lines import ID, first_line, read_header

OPEN_END = 2**53 - 1
MEMBER = bytes.fromhex("1f8b08040000000000ff0c004c480800")


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


def read_part(data, salt, first, link, state):
    """Records, state, and damage (offsets and reasons) of one file."""
    records, damage = [], []
    found, last = scan(data, salt, first, link)
    for kind, at, value in found:
        if kind == "damage":
            damage.append((at, value))
        elif kind == "checkpoint" and (link is None or value["checkpoint"]["seq"] <= link["last"]):
            state = {**empty_state(), **value["checkpoint"]}
        elif kind == "record" and (link is None or value["seq"] <= link["last"]):
            records.append(value)
            state = fold(state, value)
    return records, {**state, "seq": link["last"] if link else max(state["seq"], last)}, damage


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


def read_session(directory, path, header, patches, damage):
    """Records and state, of all files of a session."""
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
        found, state, more = read_part(data, salt, link["first"], link, state)
        records += found
        damage += [(name, at, why) for at, _, why in lost]
        damage += [(name, at, why) for at, why in more if not any(a <= at <= a + n for a, n, _ in lost)]
    own = [each for each in patches.get((header["id"], header.get("file", 0)), []) if each[3] == file_name(header["key"])]
    data, strays = lay_over(read_file(path), header["id"], own)
    found, state, more = read_part(data, header["id"], first, None, state)
    damage += [(path, at, why) for at, why in missing_strays(strays, header["id"], data) + more]
    return records + found, state


def visible(folder):
    return [name for name in sorted(os.listdir(folder)) if not name.startswith(".")] if os.path.isdir(folder) else []


def session_files(directory):
    """The path, the status, and what the file of a session with this header is called there."""
    for status, place in (("active", ""), ("archived", "archive"), ("trashed", "trash")):
        folder = os.path.join(directory, place)
        expected = lambda header: file_name(header["key"])[:-5] + (header["id"] + "." if place else "") + "jsonl"
        for name in visible(folder):
            if name.endswith(".jsonl") and os.path.isfile(os.path.join(folder, name)):
                yield os.path.join(folder, name), status, expected


def why_refused(data, name, header, expected):
    """Why a file is not read as a session; None: it is one, or of another program. `header`: the one that fits its name."""
    line = first_line(data)
    first = read_header(line)
    if first is None:
        is_ours = b'{"longhand":' in data or b'{"longhand":'.startswith(line) or b',"crc":"' in data
        return (header_reason(line) if data else "an empty file") if is_ours else None
    if header is None:
        return "it holds the key %s, whose file is %s" % (json.dumps(first["key"], ensure_ascii=False), expected(first))
    return "another header follows the first" if header != first and expected(first) == name else None


def orphans(directory, header, path):
    """Files that no chain names."""
    named = {"%d.jsonl%s" % (link["file"], end) for link in header.get("chain", []) for end in ("", ".gz")}
    folder = os.path.join(directory, "segments", header["id"])
    others = [os.path.join(folder, name) for name in visible(folder) if name not in named]
    return [other for other in others if not os.path.samefile(other, path)]


def print_session(header, status, records, state):
    shown = {name: state[name] for name in ("seq", "count", "summary", "title", "tags")}
    print(json.dumps({"session": header["id"], "key": header["key"], "status": status, **shown}))
    for record in records:
        print(json.dumps({"of": header["id"], "live": is_live(state, record), "record": record}))


def read_store(directory):
    damage, ids, readable = [], set(), set()
    patches = read_journals(directory, damage)
    for path, status, expected in session_files(directory):
        data, name = read_file(path), os.path.basename(path)
        first = read_header(first_line(data))
        readable.update([(first["id"], file_name(first["key"]))] if first else [])
        header = written_header(data, lambda each: expected(each) == name)
        refused = why_refused(data, name, header, expected)
        damage += [(path, 0, refused)] if refused else []
        ids.update([each["id"] for each in (header or first,) if each] or ID.findall(name))
        if header is None:
            continue
        records, state = read_session(directory, path, header, patches, damage)
        damage += [(other, 0, "the session's chain does not name this file") for other in orphans(directory, header, path)]
        if header == first:
            print_session(header, status, records, state)
    segments = os.path.join(directory, "segments")
    for path in [os.path.join(segments, name) for name in visible(segments) if name not in ids]:
        if not os.path.isdir(path) or os.listdir(path):
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
