/** The host's calls that touch the disk, by name: what tests count, capture after, and make fail. */

import type { OpenMode } from "../host/host.ts";

export type FileOperation =
  | "open"
  | "openForWriting"
  | "create"
  | "read"
  | "write"
  | "truncate"
  | "sync"
  | "stat"
  | "makePrivate"
  | "close"
  | "makeDirectory"
  | "readDirectory"
  | "syncDirectory"
  | "rename"
  | "link"
  | "unlink"
  | "removeDirectory"
  | "resolve"
  | "checkWritable"
  | "listen";

export interface FileCall {
  /** Counts from 1. */
  readonly number: number;
  readonly operation: FileOperation;
  /** Of a call on an open file: the path it was opened by. */
  readonly path: string;
  /** The second path of a rename or link. */
  readonly to: string | undefined;
}

export const OPEN_OPERATIONS: Readonly<Record<OpenMode, FileOperation>> = {
  read: "open",
  write: "openForWriting",
  create: "create",
  journal: "openForWriting",
};
