/**
 * Whether a mutant is noticed by what it names. Another part that notices it as well is no substitute: it met the moment by
 * chance, and a change elsewhere may take that away without a word.
 */

import type { Outcome } from "../worker-message.ts";
import type { Mutant, PartSlice } from "./mutant.ts";

export type Verdict =
  | { readonly kind: "caught" }
  /** What it names says that every promise was kept, or could not be run. */
  | { readonly kind: "caught elsewhere"; readonly by: PartSlice; readonly failures: readonly string[] }
  | { readonly kind: "survives"; readonly failures: readonly string[] };

type RunSlice = (slice: PartSlice) => Promise<Outcome>;

/** The slices in `others` are only run to tell who else notices it. Rejects if no slice at all could be run. */
export async function judgeMutant(
  { caughtBy }: Mutant,
  others: readonly PartSlice[],
  run: RunSlice,
): Promise<Verdict> {
  const failures: string[] = [];
  const tried = [caughtBy, ...others];
  for (const [index, each] of tried.entries()) {
    const outcome = await run(each);
    switch (outcome.kind) {
      case "kept":
        break;
      case "violated":
        return index === 0 ? { kind: "caught" } : { kind: "caught elsewhere", by: each, failures };
      case "failed":
        failures.push(`${tellSlice(each)}: ${outcome.story}`);
    }
  }
  if (failures.length === tried.length) throw new Error(failures.join("\n"));
  return { kind: "survives", failures };
}

/** `undefined`: it is caught by what it names. */
export function tellVerdict(
  verdict: Verdict,
  { name, breaks, file, caughtBy }: Mutant,
  others: readonly PartSlice[],
  seed: number,
): string | undefined {
  if (verdict.kind === "caught") return undefined;
  const isElsewhere = verdict.kind === "caught elsewhere";
  const what = `The mutant ${name} of packages/store/src/${file}`;
  return [
    isElsewhere
      ? `${what} is not caught by what it names, ${tellSlice(caughtBy)}, but by ${tellSlice(verdict.by)} (seed ${seed}).`
      : `${what} survives (seed ${seed}).`,
    `It breaks ${breaks}.`,
    isElsewhere
      ? "Name a search that meets its moment whatever the seed, or add one to proof/dangers."
      : `Noticed by none of: ${[caughtBy, ...others].map(tellSlice).join(", ")}`,
    ...(verdict.failures.length === 0 ? [] : ["Of these could not be run:", ...verdict.failures]),
  ].join("\n");
}

export function tellSlice({ part, slice, what }: PartSlice): string {
  return `${part} slice ${slice}${what === undefined ? "" : ` (${what})`}`;
}
