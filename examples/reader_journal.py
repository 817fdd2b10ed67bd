"""The journals of writers that have died: the section "The journal" of docs/format.md. A store that was closed has none."""

import json
import os
import re

from reader_lines import ID, crc, decode, line_sum, open_line, whole_lines

MAX_HOLE = 512 * 2**20
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
        with open(os.path.join(journals, name), "rb") as file:
            data = file.read()
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
    at, line = offset - 1 - start, line.removesuffix(b"\n")
    whole = next(((b, line_sum(line[a:b])) for a, b in whole_lines(line, salt) if a <= at <= b), None)
    return any(flipped(end) <= 1 for end in ends) or whole in (None, (at, after))


def others_under(data, salt, offset, content):
    """Whole lines that the record would hit, and that are not its own."""
    found, at, end = [], offset, offset + len(content)
    while data[offset:end] != content[: len(data[offset:end])] and at < min(end, len(data)):
        start, line = line_at(data, at)
        line = line.removesuffix(b"\n")
        for a, b in whole_lines(line, salt):
            is_own = start + a >= offset and content.startswith(line[a:b], start + a - offset)
            if not is_own and start + a < end and start + b > offset:
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
