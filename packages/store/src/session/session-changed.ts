import { LonghandError } from "../errors.ts";

/** The file was opened, and lacks acknowledged records that would fit behind its end: their seqs are not given again. */
export function recordsKeptAside(path: string, key: string, kept: string): LonghandError {
  const message =
    `${path} lacks acknowledged records, which are kept in ${kept}; nothing was written. ` +
    "Run longhand repair, which puts them back, or move that file out of the store to go on without them";
  return new LonghandError("SESSION_CHANGED", message, { file: path, key, kept });
}

/** `kept`: where the acknowledged records are that are not in the file as it is now. `undefined`: it has them all. */
export function sessionChanged(path: string, key: string, kept?: string): LonghandError {
  const changed = `${path} was removed, replaced, shortened or overwritten by another program while it was open`;
  const message =
    kept === undefined
      ? `${changed}; nothing was written. Try again to go on with the file as it is now`
      : `${changed}; nothing more is written to it. Acknowledged records that are not in it are kept in ${kept}: ` +
        "put the right file back, or run longhand repair, which puts the records back where they still fit";
  return new LonghandError("SESSION_CHANGED", message, {
    file: path,
    key,
    ...(kept === undefined ? {} : { kept }),
  });
}
