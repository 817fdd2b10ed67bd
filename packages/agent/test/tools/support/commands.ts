/** Runs a command in the real sandbox, or, as the control of an attack, without one. */

import type { TestContext } from "vitest";
import { execTool } from "../../../src/tools/exec.ts";
import {
  EXEC_LIMITS,
  findSandbox,
  type CommandLimits,
  type NoSandbox,
  type Sandbox,
} from "../../../src/tools/sandbox.ts";
import type { ToolOutput } from "../../../src/tools/tool.ts";
import { toolContext } from "./workspace.ts";

const found = await findSandbox();

/** Where none works the test says so and is skipped; with CI=true it fails, and nothing is left out. */
export function needSandbox(skip: TestContext["skip"]): Sandbox {
  if (!("unavailable" in found)) return found;
  return leaveOut(skip, `${found.unavailable} (${found.remedy})`);
}

export function leaveOut(skip: TestContext["skip"], reason: string): never {
  if (process.env["CI"] === "true") throw new Error(`cannot be tested here: ${reason}`);
  return skip(reason);
}

export const NO_SANDBOX: NoSandbox = { unavailable: "a test wants none", remedy: "none" };

export interface CommandPlace {
  readonly workspace: string;
  readonly hiddenPaths?: readonly string[];
}

export async function runCommand(
  sandbox: Sandbox | NoSandbox,
  place: CommandPlace,
  command: string,
  limits: Partial<CommandLimits> = {},
): Promise<ToolOutput> {
  const { workspace, hiddenPaths = [] } = place;
  const tool = execTool({ workspace, hiddenPaths, sandbox, limits: { ...EXEC_LIMITS, ...limits } });
  const result = await tool.run({ command }, toolContext());
  return typeof result === "string" ? { content: result } : result;
}
