/**
 * Edits of whole files of a closed store: a list that can be extended. What is needed for two files with one id that are there at the same time is a matter of the
 * directory, not of lines.
 */

import type { SampleFile, SampleStore } from "../damage/sample-store.ts";
import { isOfOneKey, lineFilesOf } from "./line-files.ts";

export interface FileEdit {
  readonly store: SampleStore;
  readonly what: string;
  readonly changed: ReadonlyMap<string, Buffer>;
}

type Editor = (store: SampleStore, files: readonly SampleFile[]) => Iterable<FileEdit>;

const FILE_EDITS: readonly Editor[] = [exchanged, restored];

export function* everyFileEdit(stores: readonly SampleStore[]): Iterable<FileEdit> {
  for (const store of stores) {
    const files = store.files.filter(({ path, owners }) => owners.size > 0 && /\.jsonl(\.gz)?$/.test(path));
    for (const editor of FILE_EDITS) yield* editor(store, files);
  }
}

/** Two files have changed their places. Not those of two sessions of one key: whoever does that has restored the other one by hand. */
function* exchanged(store: SampleStore, files: readonly SampleFile[]): Iterable<FileEdit> {
  for (const [index, one] of files.entries()) {
    for (const other of files.slice(index + 1)) {
      if (isOfOneKey(one, other)) continue;
      const changed = new Map([
        [one.path, other.bytes],
        [other.path, one.bytes],
      ]);
      yield { store, what: `${one.path} and ${other.path} exchanged`, changed };
    }
  }
}

/** Each file as it was after each of its lines. */
function* restored(store: SampleStore): Iterable<FileEdit> {
  for (const { file, lines } of lineFilesOf(store)) {
    if (file.path.endsWith(".gz")) continue;
    for (let count = 1; count < lines.length; count++) {
      const changed = new Map([[file.path, Buffer.concat(lines.slice(0, count))]]);
      yield { store, what: `${file.path} restored to its first ${count} lines`, changed };
    }
  }
}

export function tellFileEdit({ store, what }: FileEdit): string {
  return `${what} in the store "${store.name}"`;
}
