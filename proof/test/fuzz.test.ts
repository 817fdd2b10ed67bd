import { SeededRandom, SimulatedMachine } from "@longhand/store/testing";
import { expect, test } from "vitest";
import { filesUnder, putFile } from "../damage/simulated-files.ts";
import { journalCorpus, sessionCorpus } from "../fuzz/corpora.ts";
import { guardHost } from "../fuzz/guarded-host.ts";
import { putTogether, takeApart } from "../fuzz/journal-blocks.ts";
import { judgeFuzzed } from "../fuzz/judge-fuzzed.ts";
import { mutateFile } from "../fuzz/mutate-file.ts";
import { fuzz } from "../fuzz/part.ts";
import { sealAgain } from "../fuzz/sealed-line.ts";
import { smallestFailing } from "../fuzz/smallest-failing.ts";
import { Violation, type Findings } from "../part.ts";

const ignored: Findings = { count: () => undefined, distinct: () => undefined, note: () => undefined };

test("the control finds a forged record", async () => {
  await expect(fuzz.control(ignored)).rejects.toBeInstanceOf(Violation);
});

test("a checksum that is made again is the one the store has made", async () => {
  const { files } = await sessionCorpus(new SeededRandom(2));
  const file = files.find(({ path, owners }) => path === "/s/s1.jsonl" && owners.size > 0);
  const [header = "", record = ""] = file?.bytes.toString("utf8").split("\n") ?? [];
  const id = /"id":"([0-9A-Z]{26})"/.exec(header)?.[1] ?? "";
  expect(sealAgain(Buffer.from(header), "").toString("utf8")).toBe(header);
  expect(sealAgain(Buffer.from(record), id).toString("utf8")).toBe(record);
  expect(sealAgain(Buffer.from(record), "another").toString("utf8")).not.toBe(record);
});

test("a journal that is taken apart and put together is the same", async () => {
  const { files } = await journalCorpus(new SeededRandom(3));
  const journal = files.find(({ path }) => path.endsWith(".journal"))?.bytes ?? Buffer.alloc(0);
  const parts = takeApart(journal);
  expect(parts.blocks.length).toBeGreaterThan(0);
  const again = putTogether(parts);
  expect(again.equals(journal.subarray(0, again.length))).toBe(true);
});

test("mutations come out the same for the same seed, and change most files", async () => {
  const { files } = await sessionCorpus(new SeededRandom(4));
  const run = (seed: number, isForged: boolean): Buffer[] => {
    const random = new SeededRandom(seed);
    return files.map((file) => mutateFile(file, files[0] ?? file, random, isForged).bytes);
  };
  for (const isForged of [true, false]) {
    const first = run(5, isForged);
    expect(run(5, isForged).every((bytes, index) => bytes.equals(first[index] ?? Buffer.alloc(0)))).toBe(
      true,
    );
    const changed = first.filter((bytes, index) => !bytes.equals(files[index]?.bytes ?? Buffer.alloc(0)));
    expect(changed.length).toBeGreaterThan(files.length * 0.7);
  }
});

test("a guarded host stops who calls too often, or wants more than there is", async () => {
  const machine = new SimulatedMachine(1);
  await putFile(machine.startProcess(), "/d/file", Buffer.from("four"));
  const often = guardHost(machine.startProcess(), { calls: 20, bytes: 10 });
  await expect(
    (async () => {
      for (;;) await often.host.files.readDirectory("/d");
    })(),
  ).rejects.toBeInstanceOf(Violation);
  expect(() => often.check()).toThrow("more than 20 calls");
  const much = guardHost(machine.startProcess(), { calls: 1000, bytes: 10 });
  expect(await filesUnder(much.host, "/d")).toHaveLength(1);
  much.check();
  const file = await much.host.files.open("/d/file", "read");
  await expect(file.read(Buffer.alloc(100), 0)).rejects.toThrow("makes room for 100 bytes");
  expect(() => much.check()).toThrow("which has 4");
});

test("a guarded host stops who leaves the store", async () => {
  const machine = new SimulatedMachine(1);
  await putFile(machine.startProcess(), "/d/file", Buffer.from("four"));
  const limits = { calls: 100, bytes: 10, directory: "/d" };
  const inside = guardHost(machine.startProcess(), limits);
  await inside.host.files.stat("/");
  await inside.host.files.rename("/d/file", "/d/other");
  inside.check();
  for (const path of ["/d/../x", "/x", "/dd", "/d//x", "/d/./x"]) {
    const guarded = guardHost(machine.startProcess(), limits);
    const { files } = guarded.host;
    await expect(files.stat(path)).rejects.toThrow("outside of the store");
    await expect(files.rename("/d/other", path)).rejects.toThrow("outside of the store");
    expect(() => guarded.check()).toThrow(path);
  }
});

test("a failing store is made smaller until only what fails is left", async () => {
  const { sample, files } = await sessionCorpus(new SeededRandom(6));
  const random = new SeededRandom(7);
  const mutated = files.map((file) => mutateFile(file, file, random, true));
  const fuzzed = {
    ...sample,
    files: mutated,
    isForged: false,
    isWritten: false,
    keys: [...sample.idOf.keys()],
  };
  const wrong = await judgeFuzzed(fuzzed);
  expect(wrong).toBeDefined();
  const { files: fewest } = await smallestFailing(fuzzed, wrong ?? "", judgeFuzzed);
  expect(fewest.length).toBeLessThanOrEqual(2);
  expect(await judgeFuzzed({ ...fuzzed, files: fewest })).toBeDefined();
});
