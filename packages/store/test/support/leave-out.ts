import type { TestContext } from "vitest";

/** For what this machine does not allow: the test says so and is skipped; with CI=true it fails, and nothing is left out. */
export function leaveOut(skip: TestContext["skip"], reason: string): never {
  if (process.env["CI"] === "true") throw new Error(`cannot be tested here: ${reason}`);
  return skip(reason);
}

/** To root nothing is closed and everything can be given away. */
export const isRoot: boolean = process.getuid?.() === 0;
