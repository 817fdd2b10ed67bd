/** The records of a session as a caller sees them: `session.records()` yields these. */

import type { Message } from "./message.ts";

interface At {
  readonly seq: number;
  readonly at: string;
}

export interface NoteRecord extends At {
  readonly op: "note";
  readonly kind: string;
  readonly data: unknown;
}

export type SessionRecord<M extends Message = Message> =
  | (At & { readonly op?: undefined; readonly message: M })
  | (At & { readonly op: "summary"; readonly summary: string })
  | (At & { readonly op: "truncate"; readonly keepFrom: number })
  /** `undoesCut`: it takes no message out of the view, but brings back what a truncate or compact had hidden. */
  | (At & { readonly op: "rewind"; readonly to: number; readonly undoesCut?: true })
  | (At & { readonly op: "compact"; readonly summary: string; readonly keepFrom: number })
  | (At & { readonly op: "reset"; readonly summary?: string })
  | (At & { readonly op: "meta"; readonly title?: string; readonly tags?: readonly string[] })
  | NoteRecord
  | (At & { readonly op: "unknown"; readonly raw: string });

export interface SessionInfo {
  readonly key: string;
  readonly id: string;
  readonly status: "active" | "archived" | "trashed";
  readonly seq: number;
  /** The number of live messages. */
  readonly count: number;
  readonly summary: string;
  readonly title?: string;
  readonly tags: readonly string[];
  readonly created: string;
  readonly updated: string;
  readonly bytes: number;
  /** How many damaged places opening it has found. Verify finds all. */
  readonly damaged: number;
}

export interface Damage {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
  /** "torn": an end that was never a whole record. "corrupt": anything else. */
  readonly kind: "torn" | "corrupt";
  readonly reason: string;
  readonly key?: string;
  /** The first record that was there, where the good ones around the place tell. */
  readonly seq?: number;
  /** The file to which the bytes were copied before they were cut from this one. */
  readonly kept?: string;
  /** Found by verify or repair: why a repair leaves it as it is, and what to do. Absent: a repair mends it, or has. */
  readonly left?: string;
  /** This user may not read the file: its bytes were not looked at, and are not known to be damaged. */
  readonly notPermitted?: true;
}
