/** The names in a directory; none where it does not exist. */

import { readdir } from "node:fs/promises";
import { errorCode } from "../error-code.ts";

export async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}
