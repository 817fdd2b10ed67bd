/** The callback of an opening that has migrated. */

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LonghandError, type Migrated, openStore } from "../../src/index.ts";

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "longhand-"));
});

afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function leave(key: string, name: string): Promise<void> {
  const at = "2026-01-02T03:04:05Z";
  const messages = [{ role: "user", content: "hello", created_at: at }];
  const document = { key, messages, summary: "", created: at, updated: at };
  await writeFile(join(directory, name), JSON.stringify(document), { mode: 0o600 });
}

test("with the keys, and the originals by the names they have now; once", async () => {
  await leave("telegram:42", "telegram_42.json");
  await writeFile(join(directory, "telegram_42.json.migrated"), "of an earlier time", { mode: 0o600 });
  const told: Migrated[] = [];
  for (let opening = 1; opening <= 2; opening++) {
    const onMigrated = (migrated: Migrated): unknown => told.push(migrated);
    const store = await openStore(directory, { migrate: true, onMigrated });
    await store.close();
  }
  expect(told).toEqual([
    { keys: ["telegram:42"], originals: [join(directory, "telegram_42.json.migrated.2")] },
  ]);
});

test("and a handler that throws does not undo it", async () => {
  await leave("telegram:42", "telegram_42.json");
  const errors: LonghandError[] = [];
  const onMigrated = (): never => {
    throw new Error("of the handler");
  };
  const store = await openStore(directory, {
    onMigrated,
    migrate: true,
    onError: (error) => errors.push(error),
  });
  expect(await store.session("telegram:42").messages()).toMatchObject([{ content: "hello" }]);
  await store.close();
  expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("of the handler")]);
});
