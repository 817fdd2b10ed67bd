/** The options of verify, repair and reclaim, checked and as a backend takes them. */

import { checkKey } from "../format/key.ts";
import type { BackendReclaimOptions, BackendUpkeepOptions, DropBefore } from "../contract/backend.ts";
import { ANYTHING, callback, checkOptions, checkValue, flag, texts, timeOrSeq } from "./check-options.ts";
import type { ReclaimOptions, UpkeepOptions } from "../contract/types.ts";

const UPKEEP_OPTIONS = { keys: texts, onProgress: callback } as const;

export function checkUpkeep(of: string, options: UpkeepOptions | undefined): BackendUpkeepOptions {
  checkOptions(of, options, UPKEEP_OPTIONS);
  return upkeepOf(options);
}

export function checkReclaim(options: ReclaimOptions | undefined): BackendReclaimOptions {
  // `drop` has options of its own, which are checked by themselves.
  checkOptions("reclaim", options, { ...UPKEEP_OPTIONS, drop: ANYTHING, seal: flag, dryRun: flag });
  const { seal = false, dryRun = false } = options ?? {};
  return { ...upkeepOf(options), drop: dropOf(options?.drop), seal, dryRun };
}

function upkeepOf({ keys, onProgress }: UpkeepOptions = {}): BackendUpkeepOptions {
  return {
    keys: keys === undefined ? undefined : new Set(keys.map(checkKey)),
    onProgress: onProgress ?? (() => undefined),
  };
}

function dropOf(drop: ReclaimOptions["drop"]): DropBefore | undefined {
  if (drop === undefined) return undefined;
  checkOptions("drop of reclaim", drop, { before: timeOrSeq });
  const { before } = drop;
  checkValue("drop of reclaim", "before", before, timeOrSeq);
  return typeof before === "number" ? { seq: before } : { time: before.getTime() };
}
