import { dirname } from "node:path";
import type { SealDeps } from "../engine/writing/seal-session.ts";

/**
 * A file or directory that nobody may read any more goes to the damaged bytes, whole. Nothing there is replaced. Answers
 * with where it is now.
 */
export async function moveAside(
  {
    files,
    layout,
    checkMayChange,
    syncNames,
  }: Pick<SealDeps, "files" | "layout" | "checkMayChange" | "syncNames">,
  path: string,
): Promise<string> {
  const name = path.slice(layout.directory.length + 1).replaceAll("/", ".");
  let to = `${layout.damaged}/${name}`;
  for (let number = 2; (await files.stat(to)) !== undefined; number++)
    to = `${layout.damaged}/${name}.${number}`;
  await checkMayChange();
  await files.rename(path, to);
  await syncNames(layout.damaged);
  await syncNames(dirname(path));
  return to;
}
