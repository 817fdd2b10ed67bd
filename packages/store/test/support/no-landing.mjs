/**
 * For child processes, the same as landing-faults.ts: from `begin` on no record reaches its session file, only headers
 * do. To be called when the store is open: what the last one left must be recovered first.
 */

import { failingHost, nodeHost } from "../../dist/testing.js";

export function hostWithoutLanding() {
  const created = new Set();
  let hasBegun = false;
  const host = failingHost(nodeHost, ({ operation, path }) => {
    if (!hasBegun || operation !== "write") return undefined;
    const isNew = /\/\.longhand\/new\/[^/]*$/.test(path);
    if (isNew && !created.has(path)) {
      created.add(path);
      return undefined;
    }
    return isNew || path.endsWith(".jsonl") ? { kind: "error", code: "ENOSPC" } : undefined;
  });
  const begin = () => {
    hasBegun = true;
  };
  return { host, begin };
}
