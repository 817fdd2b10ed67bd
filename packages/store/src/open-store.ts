/** The composition root: puts a front on a backend. A directory means the JSONL backend. */

import { jsonlBackend } from "./backends/jsonl/jsonl-backend.ts";
import { LonghandError } from "./errors.ts";
import type { Message } from "./format/message.ts";
import type { Backend } from "./contract/backend.ts";
import { callback, checkOptions, flag, oneOf } from "./store/check-options.ts";
import { reportOnce } from "./store/report-once.ts";
import { BackendStore } from "./store/store.ts";
import type { Store, StoreOptions } from "./contract/types.ts";
import { reportTo, warnOfDamage, warnOfError, warnOfForeign } from "./store/warn.ts";

export async function openStore<M extends Message = Message>(
  where: string | Backend,
  options: StoreOptions = {},
): Promise<Store<M>> {
  checkOptions("openStore", options, {
    durability: oneOf("sync", "os"),
    readOnly: flag,
    migrate: flag,
    onForeign: callback,
    onMigrated: callback,
    onDamage: callback,
    onError: callback,
  });
  const backend = toBackend(where);
  const { durability = "sync", readOnly = false, migrate = false } = options;
  const onError = reportTo(options.onError ?? warnOfError);
  const onDamage =
    options.onDamage === undefined
      ? reportOnce(warnOfDamage, ({ file }) => file)
      : reportOnce(options.onDamage, ({ file, offset, reason }) => `${offset} ${reason} ${file}`);
  if (readOnly && migrate) {
    throw new LonghandError("OPTION_INVALID", "a store opened with readOnly cannot migrate", {
      option: "migrate",
    });
  }
  if (readOnly && !backend.capabilities.readOnly) {
    throw new LonghandError("OPTION_INVALID", `the ${backend.name} backend cannot be opened with readOnly`, {
      option: "readOnly",
      backend: backend.name,
    });
  }
  const tellForeign = options.onForeign ?? (readOnly ? undefined : warnOfForeign);
  const onForeign = tellForeign === undefined ? undefined : guarded(tellForeign, onError);
  const { onMigrated } = options;
  return new BackendStore<M>(
    await backend.open({
      ...{ durability, readOnly, migrate, onDamage, onError },
      ...(onForeign === undefined ? {} : { onForeign }),
      ...(onMigrated === undefined ? {} : { onMigrated }),
    }),
  );
}

/** A handler that throws must not fail the opening. */
function guarded<T>(handler: (value: T) => void, onError: (error: unknown) => void): (value: T) => void {
  return (value) => {
    try {
      handler(value);
    } catch (error) {
      onError(error);
    }
  };
}

function toBackend(where: unknown): Backend {
  if (typeof where === "string" && where !== "") return jsonlBackend(where);
  if (typeof where === "object" && where !== null && "open" in where && "capabilities" in where)
    return where as Backend;
  throw new LonghandError(
    "OPTION_INVALID",
    "openStore takes the path of a directory, or a backend such as memoryBackend()",
    {
      where,
    },
  );
}
