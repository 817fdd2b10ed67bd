/**
 * The judge of a disk that a crash has left while other programs' files were being made sessions: no original is lost;
 * the next opening completes the work, and the one after it finds nothing to do.
 */

import { inspect } from "node:util";
import type { SimulatedMachine } from "@longhand/store/testing";
import { judgeViews } from "./judge-views.ts";
import type { Workload } from "./step.ts";
import { readView, type View } from "./view.ts";
import { CLOCK_AFTER_CRASH, DIRECTORY, openOn } from "./world.ts";

export async function examineMoving(
  machine: SimulatedMachine,
  workload: Workload,
  expected: View,
): Promise<string | undefined> {
  try {
    machine.setClock(CLOCK_AFTER_CRASH);
    const lost = await lostOriginal(machine, workload, ["", ".migrated"]);
    if (lost !== undefined) return lost;
    const first = await openAndTell(machine, workload);
    if (first !== tell(expected)) return `the next opening shows ${first}\n  instead of ${tell(expected)}`;
    const second = await openAndTell(machine, workload);
    if (second !== first) return `a second opening shows ${second}\n  after ${first}`;
    return await lostOriginal(machine, workload, [".migrated"]);
  } catch (error) {
    return `opening or reading failed: ${inspect(error, { depth: 4 })}`;
  }
}

async function openAndTell(machine: SimulatedMachine, workload: Workload): Promise<string> {
  const host = machine.startProcess();
  const { store, reports } = await openOn(host, workload);
  const view = await readView(store, workload.keys);
  const unfit = await judgeViews(store, view, workload);
  host.kill();
  return [tell(view), ...reports, ...(unfit === undefined ? [] : [unfit])].join("\n");
}

/** Sessions that had not become durable are made anew, with other ids. */
function tell(view: View): string {
  const keys = [...view].map(([key, { sessions, records }]) => {
    const infos = [...sessions.values()].map(({ info }) =>
      JSON.stringify({ ...info, id: "", created: "", updated: "" }),
    );
    return `${key}: ${infos.sort().join()} ${JSON.stringify(records.map((record) => ({ ...record, at: "" })))}`;
  });
  return keys.sort().join("\n");
}

async function lostOriginal(
  machine: SimulatedMachine,
  { files: originals = {} }: Workload,
  suffixes: readonly string[],
): Promise<string | undefined> {
  const { files } = machine.startProcess();
  for (const [name, content] of Object.entries(originals)) {
    let isThere = false;
    for (const suffix of suffixes) {
      const path = `${DIRECTORY}/${name}${suffix}`;
      if ((await files.stat(path)) === undefined) continue;
      const file = await files.open(path, "read");
      const bytes = Buffer.alloc((await file.stat()).size);
      await file.read(bytes, 0);
      isThere ||= bytes.toString() === content;
    }
    if (!isThere) return `the original ${name} is lost`;
  }
  return undefined;
}
