/** Whether every file of a directory is in another one, with the same bytes. */

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../error-code.ts";
import { directoryTree } from "./directory-tree.ts";

export async function isContainedIn(directory: string, other: string): Promise<boolean> {
  for (const { path, isDirectory } of await directoryTree(directory)) {
    const facts = await lstat(join(other, path)).catch((error: unknown) => {
      if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
      throw error;
    });
    if (facts === undefined || facts.isDirectory() !== isDirectory) return false;
    if (isDirectory) continue;
    if ((await digest(join(directory, path))) !== (await digest(join(other, path)))) return false;
  }
  return true;
}

async function digest(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest("hex");
}
