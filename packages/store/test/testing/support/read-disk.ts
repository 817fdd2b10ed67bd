/** What a process started now would find on a machine's disk: each path with its content, or what it is. */

import { posix } from "node:path";
import type { SimulatedMachine } from "../../../src/testing/simulated-machine.ts";
import type { FileSystem, OpenFile } from "../../../src/host/host.ts";

export type DiskContents = Readonly<Record<string, string>>;

export async function readDisk(machine: SimulatedMachine): Promise<DiskContents> {
  return await readNames(machine.startProcess().files, "/");
}

async function readNames(files: FileSystem, directory: string): Promise<DiskContents> {
  let contents: DiskContents = {};
  for (const name of (await files.readDirectory(directory)).sort()) {
    const path = posix.join(directory, name);
    const kind = (await files.stat(path))?.kind;
    contents = { ...contents, [path]: kind === "file" ? await readText(files, path) : String(kind) };
    if (kind === "directory") contents = { ...contents, ...(await readNames(files, path)) };
  }
  return contents;
}

export async function readText(files: FileSystem, path: string): Promise<string> {
  const file = await files.open(path, "read");
  const bytes = Buffer.alloc((await file.stat()).size);
  await file.read(bytes, 0);
  await file.close();
  return bytes.toString("latin1");
}

export async function createText(files: FileSystem, path: string, text: string): Promise<OpenFile> {
  const file = await files.open(path, "create");
  if (text !== "") await file.write(Buffer.from(text, "latin1"), 0);
  return file;
}
