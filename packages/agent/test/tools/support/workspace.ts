/** A workspace and a place beside it that tools must not reach, both removed after the test. */

import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { ToolContext } from "../../../src/tools/tool.ts";

export interface TestPlace {
  readonly workspace: string;
  /** Has the file `secret` with SECRET in it. */
  readonly outside: string;
}

export const SECRET = "the secret outside";

export async function makePlace(): Promise<TestPlace> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "longhand-tools-")));
  onTestFinished(async () => {
    await rm(directory, { recursive: true, force: true });
  });
  const place = { workspace: join(directory, "ws"), outside: join(directory, "outside") };
  await mkdir(place.workspace);
  await mkdir(place.outside);
  await writeFile(join(place.outside, "secret"), SECRET);
  return place;
}

export function toolContext(signal: AbortSignal = new AbortController().signal): ToolContext {
  return { agent: "test", key: "chat", callId: "call-1", signal };
}
