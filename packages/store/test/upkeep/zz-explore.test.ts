import { test } from "vitest";
import { appendFileSync, writeFileSync } from "node:fs";
import { SeededRandom, type SimulatedMachine } from "../../src/testing/index.ts";
import { jsonlBackend, openStore, type Damage, type Store } from "../../src/index.ts";
import type { Host } from "../../src/host/host.ts";
import { randomPlan, twoHistories, PATH, linesOf, type TwoHistories } from "../support/two-histories.ts";
import { DIRECTORY, readSimulatedFile, writeSimulatedFile } from "../support/simulated-store.ts";
import { filesUnder } from "../../../../proof/damage/simulated-files.ts";

const RUNS = Number(process.env["RUNS"] ?? 200);
const FIRST = Number(process.env["FIRST"] ?? 0);

interface Edit { readonly what: string; readonly lines: readonly Buffer[] }

function edit(given: readonly Buffer[], h: TwoHistories, random: SeededRandom): Edit {
  const otherOnly = h.other.filter((line) => !h.own.some((o) => o.equals(line)));
  const donors = [otherOnly, otherOnly, otherOnly, h.strange.slice(1), h.own.slice(1)][random.below(5)] ?? [];
  const n = donors === otherOnly ? "other" : donors.length === h.strange.length - 1 ? "strange" : "own";
  const pool = donors.length === 0 ? h.other : donors;
  const d = random.below(pool.length);
  const donor = pool[d] ?? Buffer.alloc(0);
  const at = 1 + random.below(given.length);
  switch (random.below(7)) {
    case 0: case 1: return { what: `insert ${n}#${d} before ${at}`, lines: given.toSpliced(at, 0, donor) };
    case 2: return { what: `overwrite ${at} by ${n}#${d}`, lines: at < given.length ? given.with(at, donor) : [...given, donor] };
    case 3: return { what: `glue ${n}#${d} before ${at}`, lines: given.toSpliced(at, 0, donor.subarray(0, -1)) };
    case 4: return { what: `from ${at} on ${n}`, lines: [...given.slice(0, at), ...pool.slice(d)] };
    case 5: return { what: `append ${n}#${d}`, lines: [...given, donor] };
    default: {
      const all = Buffer.concat(given);
      const start = given.slice(0, at).reduce((s, l) => s + l.length, 0);
      const out = Buffer.alloc(Math.max(all.length, start + donor.length));
      all.copy(out); donor.copy(out, start);
      return { what: `lay ${n}#${d} over ${at}`, lines: linesOf(out) };
    }
  }
}

interface Seen { seqs: readonly string[]; sums: readonly string[] }
async function served(store: Store): Promise<string[]> {
  const found: string[] = [];
  for await (const r of store.session("k").records()) found.push(`${r.seq}:${/(own|new) [0-9x-z]+/.exec(JSON.stringify(r))?.[0] ?? r.type}`);
  return found;
}
const open = async (host: Host, readOnly: boolean, damage: Damage[] = []): Promise<Store> =>
  await openStore(jsonlBackend(DIRECTORY, { host }), { readOnly, onDamage: (d) => damage.push(d), onError: () => undefined });
const show = (d: readonly Damage[]): string => d.map((x) => `    ${x.file.replace(DIRECTORY, "")}@${x.offset}: ${x.reason}${x.left === undefined ? "" : ` LEFT ${x.left}`}${x.kept ? ` KEPT ${x.kept}`:""}`).join("\n");

async function put(machine: SimulatedMachine, lines: readonly Buffer[]): Promise<void> {
  await writeSimulatedFile(machine.startProcess(), PATH, Buffer.concat(lines));
}

async function run(seed: number, out: (s: string) => void, stats: Record<string, number>): Promise<void> {
  const random = new SeededRandom(seed);
  const plan = randomPlan(random);
  const h = await twoHistories(plan);
  const isTwo = random.below(3) === 0;
  const e1 = edit(h.own, h, random);
  const edits = [e1.what];
  const machine0 = h.start();
  await put(machine0, e1.lines);
  if (isTwo) {
    // The recovery keeps what does not fit; then another edit.
    const s = await open(machine0.startProcess(), false);
    await s.close();
    const lines = linesOf(await readSimulatedFile(machine0.startProcess(), PATH));
    const e2 = edit(lines, h, random);
    edits.push(`recovered, ${e2.what}`);
    await put(machine0, e2.lines);
    if (random.below(2) === 0) {
      const process = machine0.startProcess();
      const s2 = await open(process, false);
      let n = 0;
      try { for (; n < 1 + random.below(3); n++) await s2.session("k").append({ role: "user", content: `later ${n}` }); } catch { n = -n; }
      process.kill();
      const lines3 = linesOf(await readSimulatedFile(machine0.startProcess(), PATH));
      const e3 = edit(lines3, h, random);
      edits.push(`written ${n} and killed, ${e3.what}`);
      await put(machine0, e3.lines);
    }
  } else if (random.below(3) === 0) {
    const e2 = edit(e1.lines, h, random);
    edits.push(e2.what);
    await put(machine0, e2.lines);
  }
  const capture = machine0.capture();
  const beforeAll = Buffer.concat((await filesUnder(capture.afterKill().startProcess(), DIRECTORY)).filter(({path}) => !path.includes("cache")).map(({ bytes }) => bytes));
  const journals = Buffer.concat((await filesUnder(capture.afterKill().startProcess(), DIRECTORY)).filter(({path}) => /\.(journal|records)$/.test(path)).map(({ bytes }) => bytes)).toString("latin1");
  const fileBefore = linesOf(await readSimulatedFile(capture.afterKill().startProcess(), PATH));
  const ro: Damage[] = [];
  const reader = await open(capture.afterKill().startProcess(), true, ro);
  const planned = (await reader.verify()).damage;
  let overlay: string[] | string;
  try { overlay = await served(reader); } catch (e) { overlay = String(e); }
  await reader.close();
  const machine = capture.afterKill();
  const told: Damage[] = [];
  const w = await open(machine.startProcess(), false, told);
  let after0: string[] | string;
  try { after0 = await served(w); } catch (e) { after0 = String(e); }
  const repaired = await w.repair();
  const rest = (await w.verify()).damage;
  let final: string[] = [];
  try { final = await served(w); } catch (e) { final = [String(e)]; }
  await w.close();
  const problems: string[] = [];
  const count = (d: readonly Damage[]): string => { const l = d.filter((x) => x.left !== undefined).length; return `${d.length - l} mendable, ${l} left`; };
  if (count(planned) !== count(repaired.damage)) problems.push("PLAN");
  if (planned.filter((x) => x.left !== undefined).length !== rest.length || rest.some((x) => x.left === undefined)) problems.push("REST");
  if (JSON.stringify(overlay) !== JSON.stringify(after0)) problems.push("OVERLAY");
  // bytes
  const afterAll = Buffer.concat((await filesUnder(machine.startProcess(), DIRECTORY)).filter(({path}) => !path.includes("cache")).map(({ bytes }) => bytes));
  for (const line of [...h.own.slice(1), ...h.other.slice(1), ...h.strange.slice(1)]) {
    const raw = line.subarray(0, -1);
    if (beforeAll.includes(raw) && !afterAll.includes(raw)) problems.push(`BYTES ${raw.toString().slice(0, 90)}`);
  }
  const bySeq = new Map(final.map((x) => [Number(x.split(":")[0]), x.split(":")[1] ?? ""]));
  for (const [seq, words] of bySeq) if (words === `own ${seq}` && journals.includes(`"own ${seq}"`) && bySeq.get(seq - 1)?.startsWith("new") === true) problems.push(`PROVEN`);
  const owns = final.some((s) => s.includes("own") && Number(s.split(":")[0]) > plan.branch);
  const news = final.some((s) => s.includes("new"));
  if (owns && news) {
    const both = final.map((s) => Number(s.split(":")[0])).filter((seq) => beforeAll.includes(`"own ${seq}"`) && beforeAll.includes(`"new ${seq}"`) );
    problems.push(`MIXED(${both.length > 0 ? "both" : "one"},${rest.length > 0 ? "left" : repaired.damage.length > 0 ? "told" : "silent"})`);
  }
  for (const p of problems) stats[p.split(" ")[0] ?? ""] = (stats[p.split(" ")[0] ?? ""] ?? 0) + 1;
  if (problems.length > 0) {
    out(`#${seed} ${problems.join("; ")}\n  ${h.what}: ${edits.join(", ")}\n  file: ${fileBefore.slice(1).map((l) => [...l.toString().matchAll(/"content":"([^"]*)"/g)].map((m) => m[1]).join("+")).join(" | ")}\n  overlay ${String(overlay)}\n  after recovery ${String(after0)}\n  final ${final.join()}\n  planned ${count(planned)}\n${show(planned)}\n  told\n${show(told)}\n  repaired ${count(repaired.damage)} lost ${JSON.stringify(repaired.lost)} kept ${JSON.stringify(repaired.kept)}\n${show(repaired.damage)}\n  rest\n${show(rest)}\n`);
  }
}

test("explore", async () => {
  const file = "/tmp/rule/explore.txt";
  writeFileSync(file, "");
  const stats: Record<string, number> = {};
  for (let seed = FIRST; seed < FIRST + RUNS; seed++) {
    try { await run(seed, (s) => appendFileSync(file, s), stats); } catch (e) { appendFileSync(file, `#${seed} THROWN ${(e as Error).stack}\n`); stats["THROWN"] = (stats["THROWN"] ?? 0) + 1; }
  }
  console.log(RUNS, JSON.stringify(stats));
});
