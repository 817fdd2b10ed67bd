/**
 * A migration manifest that somebody else wrote: CRC-32 is no signature. Nothing outside the directory is created, renamed, linked or
 * removed, whether the directory is opened, migrated or its migration taken back.
 */

import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { migrate, openStore, undoMigration, type LonghandError } from "../../src/index.ts";
import { withChecksum } from "../../src/format/line-checksum.ts";
import { bytesIn } from "../support/store-files.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";
import { contentsOf, user } from "../support/conversation.ts";

const ID = "01JCW0000000000000000000AA";
let parent: string;
let directory: string;
let outside: string;

beforeEach(async () => {
  parent = await makeTemporaryDirectory();
  directory = join(parent, "workspace");
  outside = join(parent, "home");
  for (const path of [directory, outside]) await mkdir(path, { mode: 0o700 });
  await mkdir(join(directory, ".longhand", "migrating"), { recursive: true, mode: 0o700 });
  await writeFile(join(outside, "authorized_keys"), "mine\n");
  await writeFile(join(directory, "evil"), "ssh-ed25519 attacker\n");
});
afterEach(async () => {
  await removeDirectory(parent);
});

const move = (from: string, to: string, size = 21): unknown => ({ from, to, size, modified: 0 });
const session = (more: object): unknown => ({ id: ID, key: "k", status: "active", originals: [], ...more });

async function forge(manifest: unknown): Promise<void> {
  const text = JSON.stringify(manifest);
  await writeFile(
    join(directory, ".longhand/migrating/manifest"),
    withChecksum(text.slice(0, -1), "migration"),
  );
  await writeFile(join(directory, `.longhand/migrating/${ID}.jsonl`), "ssh-ed25519 attacker\n");
}

const FORGED: readonly [string, unknown][] = [
  ["a name above the directory", { moves: [move("evil", "../home/authorized_keys")], sessions: [] }],
  [
    "an original above the directory",
    { moves: [move("../home/a.json", "../home/a.json.migrated")], sessions: [] },
  ],
  ["an absolute name", { moves: [move("/etc/x.json", "/etc/x.json.migrated")], sessions: [] }],
  ["an id with a path in it", { moves: [], sessions: [session({ id: "../../../home/x" })] }],
  ["a key that is no key", { moves: [], sessions: [session({ key: "" })] }],
  ["originals with a path", { moves: [], sessions: [session({ originals: ["../home/authorized_keys"] })] }],
  ["no lists", { moves: 1, sessions: {} }],
  ["another new name", { moves: [move("a.json", "b.json")], sessions: [] }],
  ["a hidden file", { moves: [move(".bashrc.json", ".bashrc.json.migrated")], sessions: [] }],
];

describe.each(FORGED)("%s", (_what, manifest) => {
  test("is never followed", async () => {
    await forge(manifest);
    const before = await bytesIn(outside);
    const errors: LonghandError[] = [];
    const store = await openStore(directory, { onError: (error) => errors.push(error) });
    await store.session("notes").append(user("hello"));
    expect(await contentsOf(store.session("notes"))).toEqual(["hello"]);
    await store.close();
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining("longhand migrate")]);
    await expect(migrate(directory)).rejects.toMatchObject({ code: "SESSION_DAMAGED" });
    await undoMigration(directory);
    expect(await bytesIn(outside)).toEqual(before);
    expect(await readFile(join(directory, "evil"), "utf8")).toBe("ssh-ed25519 attacker\n");
    expect((await readdir(parent)).sort()).toEqual(["home", "workspace"]);
  });
});

test("a valid one plants nothing: what is staged is made again from the originals", async () => {
  const line = '{"role":"user","content":"true words"}\n';
  await writeFile(join(directory, "k.jsonl"), line);
  await forge({ moves: [], sessions: [session({})] });
  await migrate(directory);
  const store = await openStore(directory);
  expect(await contentsOf(store.session("k"))).toEqual(["true words"]);
  await store.close();
  expect(await readFile(join(directory, "k.jsonl.migrated"), "utf8")).toBe(line);
});

test("a session that is not the manifest's own stays where it is", async () => {
  const store = await openStore(directory);
  await store.session("k").append(user("kept"));
  await store.close();
  await forge({ moves: [], sessions: [session({})] });
  await migrate(directory);
  const again = await openStore(directory);
  expect(await contentsOf(again.session("k"))).toEqual(["kept"]);
  await again.close();
});

test.each(["migrating", "damaged", "cache"])("%s as a link to another directory is refused", async (name) => {
  const own = join(directory, ".longhand");
  const { rm } = await import("node:fs/promises");
  await rm(join(own, name), { recursive: true, force: true });
  await symlink(outside, join(own, name));
  await writeFile(join(outside, `${ID}.jsonl`), "mine too\n");
  await writeFile(join(directory, "k.jsonl"), '{"role":"user","content":"x"}\n');
  const before = await bytesIn(outside);
  await expect(migrate(directory)).rejects.toMatchObject({ code: "DIRECTORY_UNSAFE" });
  expect(await bytesIn(outside)).toEqual(before);
});
