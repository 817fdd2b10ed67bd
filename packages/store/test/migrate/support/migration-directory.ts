/** Directories for migrations on the real disk, and their sessions read back without the store. */

import { cp, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Host } from "../../../src/host/host.ts";
import { nodeHost } from "../../../src/host/node-host.ts";
import { migrateDirectory, type MigrationReport } from "../../../src/migrate/migrate-directory.ts";
import type { Damage } from "../../../src/format/session-record.ts";
import { readSessionBytes, type ReadBack } from "./read-session-bytes.ts";
import { placesOf } from "./migration-places.ts";
import { bytesIn } from "../../support/store-files.ts";

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), "../../fixtures/migrate");

export async function copyFixture(name: string, directory: string): Promise<void> {
  await cp(join(FIXTURES, name), directory, { recursive: true, preserveTimestamps: true });
}

export interface Migrated {
  readonly report: MigrationReport;
  readonly damage: readonly Damage[];
  readonly errors: readonly Error[];
}

export async function migrate(directory: string, host: Host = nodeHost): Promise<Migrated> {
  const damage: Damage[] = [];
  const errors: Error[] = [];
  const report = await migrateDirectory(host, placesOf(directory), {
    onDamage: (each) => damage.push(each),
    onError: (error) => errors.push(error),
    onProgress: () => undefined,
    withKey: async (_key, task) => await task(),
  });
  return { report, damage, errors };
}

/** Every session file below the directory, by its path from there. */
export async function readSessions(directory: string): Promise<Map<string, ReadBack>> {
  const sessions = new Map<string, ReadBack>();
  for (const [name, text] of await bytesIn(directory)) {
    const isSession = name.endsWith(".jsonl") && text.startsWith('{"longhand":');
    if (isSession) sessions.set(name, readSessionBytes(Buffer.from(text, "latin1")));
  }
  return sessions;
}

export async function sessionOf(directory: string, key: string): Promise<ReadBack> {
  const found = [...(await readSessions(directory)).values()].filter((session) => session.key === key);
  const [session, ...others] = found;
  if (session === undefined || others.length > 0) throw new Error(`${found.length} sessions of ${key}`);
  return session;
}

export async function put(directory: string, name: string, content: string | Buffer): Promise<void> {
  await writeFile(join(directory, name), content);
}
