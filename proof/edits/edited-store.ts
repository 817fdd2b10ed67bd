/** A closed store in which files were edited, and where the headers of its sessions are after that. */

import type { SampleStore } from "../damage/sample-store.ts";
import { contentOf } from "./line-files.ts";

/** A store of which some files have other bytes. */
export interface EditedStore {
  readonly store: SampleStore;
  /** By path. */
  readonly changed: ReadonlyMap<string, Buffer>;
  /** Several edits at once may cancel out what proves a line's place: then a seq may be given again, and directions differ. */
  readonly isMany: boolean;
  /** Whole files are not where they were: what a session has is no longer told by its lines. */
  readonly isOfFiles?: boolean;
}

/** The bytes of a file as they are after the edit, unpacked. */
export function contentAt({ store, changed }: EditedStore, path: string): Buffer {
  const file = store.files.find((each) => each.path === path);
  const bytes = changed.get(path) ?? file?.bytes ?? Buffer.alloc(0);
  return contentOf(bytes);
}

/** Its file still begins with the header it had. */
export function hasOwnHeader(edited: EditedStore, id: string): boolean {
  const [before, after] = activeFile(edited, id);
  const line = before.subarray(0, before.indexOf("\n") + 1);
  return line.length > 0 && after.subarray(0, line.length).equals(line);
}

/** Its file still has the header it had, also glued to other lines: a repair finds it. */
export function hasHeaderAnywhere(edited: EditedStore, id: string): boolean {
  const [before, after] = activeFile(edited, id);
  return before.length > 0 && after.includes(before.subarray(0, before.indexOf("\n")));
}

function activeFile(edited: EditedStore, id: string): readonly [before: Buffer, after: Buffer] {
  const file = edited.store.files.find(
    ({ path, owners }) => owners.has(id) && path.endsWith(".jsonl") && !path.includes("/segments/"),
  );
  return file === undefined ? [Buffer.alloc(0), Buffer.alloc(0)] : [file.bytes, contentAt(edited, file.path)];
}

/** Reading takes its lines for those of another session or file, and only verify looks for the header that fits its name. */
export function beginsWithAnotherHeader(edited: EditedStore, path: string): boolean {
  const headerOf = (bytes: Buffer): Buffer => bytes.subarray(0, bytes.indexOf("\n"));
  const own = edited.store.files.find((each) => each.path === path);
  const first = headerOf(contentAt(edited, path));
  if (own === undefined || first.equals(headerOf(contentOf(own.bytes)))) return false;
  return edited.store.files.some(
    ({ path: other, bytes }) => /\.jsonl(\.gz)?$/.test(other) && first.equals(headerOf(contentOf(bytes))),
  );
}
