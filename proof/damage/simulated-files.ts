/** The files of a simulated machine as bytes, to be taken out, spoiled and put back. */

import type { Capture, Host, SimulatedMachine } from "@longhand/store/testing";

export interface DiskFile {
  readonly path: string;
  readonly bytes: Buffer;
  /** Two paths with the same number are one file. */
  readonly inode: number;
}

/** Every regular file under the directory, sorted by path. */
export async function filesUnder(host: Host, directory: string): Promise<DiskFile[]> {
  const found: DiskFile[] = [];
  for (const name of await host.files.readDirectory(directory)) {
    const path = `${directory}/${name}`;
    const stat = await host.files.stat(path);
    if (stat?.kind === "directory") found.push(...(await filesUnder(host, path)));
    if (stat?.kind === "file") found.push({ path, bytes: await readFile(host, path), inode: stat.inode });
  }
  return found.sort((one, other) => (one.path < other.path ? -1 : 1));
}

async function readFile(host: Host, path: string): Promise<Buffer> {
  const file = await host.files.open(path, "read");
  const bytes = Buffer.alloc((await file.stat()).size);
  await file.read(bytes, 0);
  await file.close();
  return bytes;
}

/** Makes the file and the directories above it, or replaces what is in it; all of it durable. */
export async function putFile(host: Host, path: string, bytes: Buffer): Promise<void> {
  const { files } = host;
  await makeParents(host, path);
  const file = await files.open(path, (await files.stat(path)) === undefined ? "create" : "write");
  await file.truncate(0);
  await file.write(bytes, 0);
  await file.sync();
  await file.close();
}

async function makeParents({ files }: Host, path: string): Promise<void> {
  const names = path.split("/").slice(1, -1);
  for (let depth = 1; depth <= names.length; depth++) {
    const directory = `/${names.slice(0, depth).join("/")}`;
    if ((await files.stat(directory)) === undefined) await files.makeDirectory(directory);
  }
}

/** The machine of this moment, all processes dead, with other bytes in one file. */
export async function machineWith(capture: Capture, path: string, bytes: Buffer): Promise<SimulatedMachine> {
  const machine = capture.afterKill();
  await putFile(machine.startProcess(), path, bytes);
  return machine;
}
