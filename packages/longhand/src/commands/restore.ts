/** `longhand restore`: brings a session back that was archived or deleted. */

import type { SessionInfo, Store } from "@longhand/store";
import { CommandError } from "../command-error.ts";
import { sessionsOfKey } from "../sessions/sessions-of-key.ts";
import { withLock } from "../sessions/with-lock.ts";
import { findSession } from "../sessions/with-session.ts";
import { withStoreForWriting } from "../sessions/with-store.ts";
import { escapeKey, escapeLine } from "../terminal/escape-controls.ts";
import { countOf } from "../terminal/format-count.ts";
import { timesFor } from "../terminal/format-time.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import { addExamples } from "./add-examples.ts";
import { addWaitOption } from "./add-wait-option.ts";
import { parseNotEmpty } from "./parse-not-empty.ts";
import type { DefineCommand, JsonOption, Surroundings, WaitOption } from "./surroundings.ts";

export interface RestoreCommandOptions extends JsonOption, WaitOption {
  readonly id?: string;
}

export const defineCommand: DefineCommand = (command, begin) => {
  addExamples(command, [
    ["longhand restore my-notes", "the newest archived one, else the newest in the trash"],
    ["longhand restore my-notes --id 01JCW…", "another one of the same key"],
    ["longhand list --trash", "what is in the trash"],
  ]);
  addWaitOption(command)
    .argument("<key>", "the key of a session that was put away, or any part of it; “last”: the newest")
    .option("--id <id>", "which one, where a key has several; restore without it lists them", parseNotEmpty)
    .option("--json", "one JSON document: key, id, and where it was")
    .action(async (key: string, options: RestoreCommandOptions) => {
      const surroundings = begin(options);
      const found = await findSession(surroundings, key, ["archived", "trashed"]).catch((error: unknown) => {
        throw withRestoreRemedy(error, surroundings);
      });
      await withStoreForWriting(surroundings, async (store) =>
        withLock(store.session(found.key), options.wait, surroundings, async () =>
          restore(store, found.key, options.id, surroundings),
        ),
      );
    });
};

export async function restore(
  store: Store,
  key: string,
  id: string | undefined,
  surroundings: Surroundings,
): Promise<void> {
  const { output, json, toPaste } = surroundings;
  const before = (await sessionsOfKey(store, key)).filter(({ status }) => status !== "active");
  const known = before.find((session) => session.id === id);
  if (id !== undefined && known === undefined) {
    const lines = before.map((session) => `  ${lineFor(session, surroundings)}`);
    throw new CommandError(
      "KEY_UNKNOWN",
      [
        `no session of ${escapeKey(key)} that was put away has the id ${escapeLine(id)}; there are:`,
        ...lines,
      ].join("\n"),
      { detail: { key, ids: before.map((session) => session.id) } },
    );
  }
  if ((await store.session(key).state())?.status === "active") {
    throw new CommandError(
      "SESSION_EXISTS",
      `${escapeKey(key)} has an active session; nothing was restored`,
      {
        detail: { key },
        remedy: `archive or delete it first: ${toPaste("archive", key)}\n                              ${toPaste("delete", key)}`,
      },
    );
  }
  await store.session(key).restore(id === undefined ? {} : { id });
  const info = await store.session(key).state();
  const from = before.find((session) => session.id === info?.id)?.status ?? "archived";
  if (json) {
    output.write(jsonLine({ key, id: info?.id, from }));
    return;
  }
  const { cyan, dim } = output.colors;
  const place = from === "archived" ? "the archive" : "the trash";
  output.write(
    `Restored ${cyan(escapeKey(key))} from ${place}: ${countOf(info?.count ?? 0, "message")} in the view.\n`,
  );
  const others = before.filter((session) => session.id !== info?.id);
  if (others.length === 0) return;
  output.write(dim("Other archived or deleted sessions with this key:\n"));
  for (const other of others) output.write(dim(`  ${lineFor(other, surroundings)}\n`));
  const [first] = others;
  output.write(
    dim(
      `For another one, put this one away first: ${toPaste("archive", key)}\n` +
        `                                          ${toPaste(`restore --id ${shellQuote(first?.id ?? "")}`, key)}\n`,
    ),
  );
}

/** What can be restored is not in `longhand list`. */
function withRestoreRemedy(error: unknown, { toPaste }: Surroundings): unknown {
  if (
    !(error instanceof CommandError) ||
    error.code !== "KEY_UNKNOWN" ||
    error.detail["status"] !== undefined
  )
    return error;
  const remedy = `sessions to restore: ${toPaste("list --trash")}\n                       ${toPaste("list --archived")}`;
  return new CommandError(error.code, error.message, { detail: error.detail, remedy, cause: error });
}

function lineFor({ id, status, count, updated }: SessionInfo, { output }: Surroundings): string {
  return `${id}  ${status}, ${countOf(count, "message")}, updated ${timesFor(output).moment(updated)}`;
}
