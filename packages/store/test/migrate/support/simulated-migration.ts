/** A directory of older programs' files on a simulated disk, and what must become of it. */

import { isDeepStrictEqual } from "node:util";
import type { FileSystem, Host } from "../../../src/host/host.ts";
import { makeDirectory } from "../../../src/host/make-directories.ts";
import { migrateDirectory, type MigrationReport } from "../../../src/migrate/migrate-directory.ts";
import { SimulatedMachine } from "../../../src/testing/simulated-machine.ts";
import { placesOf } from "./migration-places.ts";
import { readSessionBytes } from "./read-session-bytes.ts";

export const DIRECTORY = "/store";

const at = (minute: number): string => `2026-05-01T08:0${minute}:00.5Z`;
const line = (role: string, content: string, minute: number): string =>
  `{"role":"${role}","content":"${content}","created_at":"${at(minute)}"}\n`;

/** Two have the names of their new sessions, two share a key, one has a bad line. */
export const ORIGINALS: Readonly<Record<string, string>> = {
  "chat_1.json": `{"key":"chat:1","messages":[{"role":"user","content":"old"}],"created":"${at(1)}","updated":"${at(1)}"}`,
  "chat_1.jsonl": line("user", "new", 2) + "no json\n" + line("assistant", "newer", 3),
  "chat_1.meta.json": `{"key":"chat:1","summary":"so far","skip":1,"count":3,"created_at":"${at(2)}","updated_at":"${at(3)}"}`,
  "alice.jsonl": '{"role":"user","content":"hello"}\n',
  "run.jsonl.archived": `{"role":"user","content":"put away","timestamp":"${at(4)}"}\n`,
};

/** [key, status, live messages] */
const EXPECTED = [
  ["alice", "active", ["hello"]],
  ["chat:1", "active", ["newer"]],
  ["chat:1", "archived", ["old"]],
  ["run", "archived", ["put away"]],
];

/** The originals are there, durably. */
export async function machineWithOriginals(seed = 3): Promise<SimulatedMachine> {
  const machine = new SimulatedMachine(seed);
  const { files } = machine.startProcess();
  await files.makeDirectory(DIRECTORY);
  await files.syncDirectory("/");
  for (const [name, content] of Object.entries(ORIGINALS)) {
    const file = await files.open(`${DIRECTORY}/${name}`, "create");
    await file.write(Buffer.from(content), 0);
    await file.sync();
    await file.close();
  }
  await files.syncDirectory(DIRECTORY);
  return machine;
}

/** What preparing a store makes, durably, and an archive. */
export async function prepareStore({ files }: Host): Promise<void> {
  const { own, damaged, archive } = placesOf(DIRECTORY);
  for (const path of [own, damaged, `${own}/migrating`, archive]) await makeDirectory(files, path);
}

export async function migrateOn(host: Host): Promise<MigrationReport> {
  const silent = { onDamage: () => undefined, onError: () => undefined, onProgress: () => undefined };
  const withKey = async (_key: string, task: () => Promise<void>): Promise<void> => await task();
  return await migrateDirectory(host, placesOf(DIRECTORY), { ...silent, withKey });
}

/** `undefined`: all sessions are there and all originals have their new names. */
export async function incomplete({ files }: Host): Promise<string | undefined> {
  for (const [name, content] of Object.entries(ORIGINALS)) {
    if ((await textOf(files, `${name}.migrated`)) !== content) return `${name}.migrated is not the original`;
    const stays = await textOf(files, name);
    if (stays !== undefined && !stays.startsWith('{"longhand":')) return `${name} is still there`;
  }
  const found: unknown[] = [];
  for (const [place, status] of [
    [DIRECTORY, "active"],
    [`${DIRECTORY}/archive`, "archived"],
  ] as const) {
    for (const name of await files.readDirectory(place)) {
      if (!name.endsWith(".jsonl")) continue;
      const { key, live } = readSessionBytes(await bytesOf(files, `${place}/${name}`));
      found.push([key, status, live.map(({ content }) => content)]);
    }
  }
  if (!isDeepStrictEqual(found.sort(), EXPECTED)) return `other sessions: ${JSON.stringify(found)}`;
  const staging = `${DIRECTORY}/.longhand/migrating`;
  const staged = (await files.stat(staging)) === undefined ? [] : await files.readDirectory(staging);
  return staged.length === 0 ? undefined : `left over: ${staged.join()}`;
}

/** `undefined`: everything is as if no migration had been tried. */
export async function touched({ files }: Host): Promise<string | undefined> {
  for (const [name, content] of Object.entries(ORIGINALS))
    if ((await textOf(files, name)) !== content) return `${name} is not as it was`;
  const names = (await files.readDirectory(DIRECTORY)).filter(
    (name) => !name.startsWith(".") && name !== "archive",
  );
  if (names.length !== Object.keys(ORIGINALS).length) return `more names: ${names.join()}`;
  const archive =
    (await files.stat(`${DIRECTORY}/archive`)) === undefined
      ? []
      : await files.readDirectory(`${DIRECTORY}/archive`);
  return archive.length === 0 ? undefined : `archived: ${archive.join()}`;
}

/** `undefined`: each original is whole, under its old name or its new one. */
export async function lostOriginal({ files }: Host): Promise<string | undefined> {
  for (const [name, content] of Object.entries(ORIGINALS)) {
    const places = [await textOf(files, name), await textOf(files, `${name}.migrated`)];
    if (!places.includes(content)) return `${name} is lost`;
  }
  return undefined;
}

async function textOf(files: FileSystem, name: string): Promise<string | undefined> {
  const path = `${DIRECTORY}/${name}`;
  return (await files.stat(path)) === undefined ? undefined : (await bytesOf(files, path)).toString();
}

async function bytesOf(files: FileSystem, path: string): Promise<Buffer> {
  const file = await files.open(path, "read");
  const bytes = Buffer.alloc((await file.stat()).size);
  await file.read(bytes, 0);
  await file.close();
  return bytes;
}
