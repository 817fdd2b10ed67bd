import type { OpenBackend } from "../contract/backend.ts";
import type { Waiting } from "./waiting.ts";

/** What a session has of its store. */
export interface OpenPlace {
  /** Throws when the store is closed. */
  readonly backend: () => OpenBackend;
  readonly waiting: Waiting;
}
