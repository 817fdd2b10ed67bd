import type { Fault, FaultPlan } from "../../src/testing/index.ts";

export interface ApplyFaults {
  readonly plan: FaultPlan;
  /** From now on session files can be written to again. */
  end(): void;
}

/**
 * No record reaches its session file: what is acknowledged is in the journal only. Headers do: sessions can be created.
 * A header is the first write to the temporary name under which a session is created.
 */
export function landingFaults(code = "ENOSPC"): ApplyFaults {
  const fault: Fault = { kind: "error", code };
  const created = new Set<string>();
  let isOver = false;
  return {
    plan: ({ operation, path }) => {
      if (isOver || operation !== "write") return undefined;
      const isNew = /\/\.longhand\/new\/[^/]*$/.test(path);
      if (isNew && !created.has(path)) {
        created.add(path);
        return undefined;
      }
      return isNew || path.endsWith(".jsonl") ? fault : undefined;
    },
    end: () => {
      isOver = true;
    },
  };
}
