import { expect, test } from "vitest";
import { forge } from "../bit-flips/forged-line.ts";
import { harmlessPlace } from "../bit-flips/harmless.ts";
import { judgeSpoiling, tellSeen } from "../bit-flips/judge-spoiling.ts";
import { flipsOfLivingLease, judgeLivingLease } from "../bit-flips/living-lease.ts";
import { bitFlips } from "../bit-flips/part.ts";
import { readSpoiled } from "../bit-flips/read-spoiled.ts";
import { smallStores } from "../bit-flips/small-stores.ts";
import { everySpoiling, spoil, type Spoiling } from "../bit-flips/spoilings.ts";
import { judgeSeen } from "../damage/judge-seen.ts";
import { Violation, type Findings } from "../part.ts";

const STORES = await smallStores();
const ignored: Findings = { count: () => undefined, distinct: () => undefined, note: () => undefined };

test("the control finds a forged message", async () => {
  await expect(bitFlips.control(ignored)).rejects.toBeInstanceOf(Violation);
});

test("the small stores have a file of every kind, and enough bits for the gate", () => {
  const paths = STORES.flatMap(({ files }) => files.map(({ path }) => path)).join("\n");
  for (const kind of [
    ".jsonl",
    ".jsonl.gz",
    "/archive/",
    "/trash/",
    ".journal",
    "/leases/",
    "/removed/",
    "/aliases/",
  ]) {
    expect(paths).toContain(kind);
  }
  let flips = 0;
  for (const { spoiling } of everySpoiling(STORES)) if (spoiling.kind === "flip") flips += 1;
  expect(flips).toBeGreaterThan(bitFlips.counts["bit flips"] ?? 0);
});

test("spoiling changes what it says, and nothing else", () => {
  const bytes = Buffer.from("0123456789");
  const spoiled = (spoiling: Spoiling): string => spoil(bytes, spoiling).toString("latin1");
  expect(spoiled({ kind: "flip", offset: 1, bit: 0 })).toBe("0023456789");
  expect(spoiled({ kind: "cut", length: 3 })).toBe("012");
  expect(spoiled({ kind: "nuls", offset: 2, length: 2 })).toBe("01\0\x00456789");
  expect(spoiled({ kind: "lost", offset: 2, length: 2 })).toBe("01456789");
});

test("a store whose damage nobody tells of is a violation", async () => {
  const store = STORES.find(({ name }) => name === "records");
  const file = store?.files.find(({ owners }) => owners.size > 0);
  if (store === undefined || file === undefined) throw new Error("no session file");
  const { seen, reports } = await readSpoiled({ store, file, bytes: file.bytes }, true);
  expect(reports).toBe(0);
  expect(
    judgeSeen(seen, { originals: store.originals, touched: new Set(), idOf: store.idOf }),
  ).toBeUndefined();
  // The last record is gone without a trace, as if it had been cut off: allowed for a cut, not for a flipped bit.
  const length = file.bytes.lastIndexOf("\n", file.bytes.length - 2) + 1;
  const judging = { baseline: tellSeen(seen), isThorough: true, then: "nobody" } as const;
  expect(await judgeSpoiling({ store, file, spoiling: { kind: "cut", length } }, judging)).toBeUndefined();
  const forged = forge(file.bytes, "say four", "say five", [...file.owners][0] ?? "");
  const read = await readSpoiled({ store, file, bytes: forged }, true);
  expect(
    judgeSeen(read.seen, { originals: store.originals, touched: file.owners, idOf: store.idOf }),
  ).toContain("say five");
});

test("no place in a session file is on the list of the harmless", () => {
  for (const { files } of STORES) {
    for (const file of files.filter(({ path }) => path.endsWith(".jsonl"))) {
      for (let offset = 0; offset < file.bytes.length; offset++)
        expect(harmlessPlace(file, offset)).toBeUndefined();
    }
  }
});

test("a lease whose holder lives is not free, whichever bit is flipped; and who gets in all the same is found", async () => {
  const flips = await flipsOfLivingLease();
  expect(flips).toBeGreaterThanOrEqual(bitFlips.counts["bit flips of a held lease"] ?? 0);
  for (let flip = 0; flip < flips; flip += 97) await judgeLivingLease(flip);
  await expect(judgeLivingLease(0, () => Buffer.alloc(0))).rejects.toThrow("another writer gets in");
});
