/** A store on a simulated machine: how it is opened there, and whether it is as it should be and can be gone on with. */

import { inspect } from "node:util";
import { jsonlBackend, openStore, type Store } from "@longhand/store";
import type { Host } from "@longhand/store/testing";
import { contentsOf } from "./outcomes.ts";
import type { Workload } from "./workload.ts";

export const DIRECTORY = "/store";

export async function open(
  host: Host,
  { journalBytes, segmentBytes }: Workload,
  reports: string[] = [],
): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host, journalBytes, segmentBytes, lockWait: 500 }), {
    onDamage: ({ file, offset, reason }) => reports.push(`damage at ${file}:${offset}: ${reason}`),
    onError: (error) => reports.push(inspect(error)),
  });
}

/** The store as it is found, compared; then it must be possible to go on with it. */
export async function examine(
  host: Host,
  workload: Workload,
  { possible, isSpoiled }: { readonly possible: readonly string[]; readonly isSpoiled: boolean },
): Promise<string | undefined> {
  const reports: string[] = [];
  try {
    const store = await open(host, workload, reports);
    const found = await contentsOf(store, workload);
    if (!possible.includes(found)) return tellDifference(found, possible);
    if (isSpoiled) await store.repair();
    const { damage } = await store.verify();
    if (damage.length > 0) return `verify finds ${inspect(damage)}`;
    for (const key of workload.keys) {
      await store.session(key).append({ role: "user", content: "afterwards" });
      const [last] = await store.session(key).messages({ last: 1 });
      if (last?.content !== "afterwards") return `${key}: what is appended afterwards is not read back`;
    }
    await store.close();
    return isSpoiled || reports.length === 0 ? undefined : `reported: ${reports.join("; ")}`;
  } catch (error) {
    return `cannot be used: ${inspect(error, { depth: 4 })}`;
  }
}

export function tellDifference(found: string, possible: readonly string[]): string {
  const expected = possible[0]?.split("\n") ?? [];
  const lines = found.split("\n");
  const missing = expected.filter((line) => !lines.includes(line)).slice(0, 8);
  const extra = lines.filter((line) => !expected.includes(line)).slice(0, 8);
  return `what is there fits none of ${possible.length} possibilities; there is\n  ${extra.join("\n  ")}\n  and is not\n  ${missing.join("\n  ")}`;
}
