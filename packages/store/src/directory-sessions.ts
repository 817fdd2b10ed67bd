/** PicoClaw's contract over a directory of its own: opening it takes over what PicoClaw kept there, as PicoClaw itself does. */

import { openStore } from "./open-store.ts";
import { JsonlSessions as StoreSessions, type JsonlSessionsOptions } from "./store/jsonl-sessions.ts";
import type { Store } from "./contract/types.ts";

export class JsonlSessions extends StoreSessions {
  /** A directory is opened by the first call, and migrated then, with the strict recognition of docs/migration.md. */
  constructor(where: string | Store, options: JsonlSessionsOptions = {}) {
    const { onError } = options;
    const reports = onError === undefined ? {} : { onError };
    super(
      typeof where === "string" ? async () => await openStore(where, { ...reports, migrate: true }) : where,
      options,
    );
  }
}
