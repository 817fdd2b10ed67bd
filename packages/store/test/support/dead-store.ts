import { cp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { jsonlBackend, openStore, type JsonlOptions, type Store } from "../../src/index.ts";

/** A copy of a store that is open for writing, with its journal, and with the mark that its writer is dead. */
export async function copyOfDeadStore(
  open: string,
  copy: string,
  write: (store: Store) => Promise<void>,
  options: JsonlOptions = {},
): Promise<void> {
  const store = await openStore(jsonlBackend(open, options));
  await write(store);
  await cp(open, copy, { recursive: true, filter: (name) => !name.endsWith(".sock") });
  await store.close();
  const journals = join(copy, ".longhand/journal");
  for (const name of await readdir(journals)) {
    if (name.endsWith(".journal")) await writeFile(join(journals, name.replace(/\.journal$/, ".fence")), "");
  }
}

/** Its lines, without their newlines. */
export function linesOf(content: string): string[] {
  return content.split("\n").slice(0, -1);
}
