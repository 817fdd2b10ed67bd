/** Makes the names in a directory durable: what was created, renamed or removed in it. */

import { open } from "node:fs/promises";

export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
