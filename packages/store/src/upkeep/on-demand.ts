/** Verifying, repairing and reclaiming, loaded by their first use: most programs never call them. */

import type { BackendReclaimOptions, BackendUpkeepOptions, Upkeep } from "../contract/backend.ts";
import type { Reclaimed, VerifyReport } from "../contract/types.ts";
import type { ReadPlace } from "../engine/reading/read-session.ts";
import { lazy } from "../lazy.ts";
import type { UpkeepDeps } from "./jsonl-upkeep.ts";
import type { VerifyStorePlace } from "./verify-store.ts";

const loadUpkeep = lazy(async () => await import("./jsonl-upkeep.ts"));
const loadVerify = lazy(async () => await import("./verify-store.ts"));
const loadEstimate = lazy(async () => await import("./estimate-reclaim.ts"));

export function upkeepOnDemand(deps: UpkeepDeps): Upkeep {
  const load = async (): Promise<Upkeep> => (await loadUpkeep()).jsonlUpkeep(deps);
  return {
    verify: async (options) => await (await load()).verify(options),
    repair: async (options) => await (await load()).repair(options),
    reclaim: async (options) => await (await load()).reclaim(options),
  };
}

export async function verifyStoreOnDemand(
  place: VerifyStorePlace,
  options: BackendUpkeepOptions,
): Promise<VerifyReport> {
  return await (await loadVerify()).verifyStore(place, options);
}

export async function estimateReclaimOnDemand(
  place: ReadPlace,
  options: BackendReclaimOptions,
): Promise<Reclaimed> {
  return await (await loadEstimate()).estimateReclaim(place, options);
}
