/**
 * A reader in the middle of a write: every landing of the writer is cut at each byte in turn, and somebody reads the
 * session between the two halves. What it sees is a beginning of what was written, batches whole; and it changes nothing.
 */

import { SimulatedMachine, type Host, type OpenFile } from "@longhand/store/testing";
import { Violation } from "../part.ts";
import { DIRECTORY, messagesIn, openQuietly, ToldWrites } from "./told-writes.ts";

export async function searchHalfLandings(): Promise<number> {
  for (let moments = 0; ; moments++) if (!(await readBetween(moments + 1))) return moments;
}

/** False: no write was so long. */
async function readBetween(cutAt: number): Promise<boolean> {
  const machine = new SimulatedMachine(1);
  const told = new ToldWrites();
  let isMet = false;
  const look = async (): Promise<void> => {
    isMet = true;
    const reader = await openQuietly(machine.startProcess(), true);
    const wrong = told.judgeSeen(await messagesIn(reader));
    if (wrong !== undefined)
      throw new Violation(
        `${wrong}\nSeen by a reader while the first ${cutAt} bytes of a landing were in the file.`,
      );
  };
  const looks: Promise<void>[] = [];
  const writer = await openQuietly(
    inHalves(machine.startProcess(), cutAt, async () => {
      const looked = look();
      looks.push(looked);
      await looked.catch(() => undefined);
    }),
  );
  await told.append(writer, "one");
  await told.append(writer, "two", "three", "four");
  await told.append(writer, "five");
  await writer.close();
  await Promise.all(looks);
  const wrong = await told.judge(machine);
  if (wrong !== undefined)
    throw new Violation(
      `${wrong}\nA reader had looked while the first ${cutAt} bytes of a landing were in the file.`,
    );
  return isMet;
}

/** Writes to the session's file come in two pieces, if they are longer than `cutAt`. */
function inHalves(host: Host, cutAt: number, between: () => Promise<void>): Host {
  const { files } = host;
  const cut = (file: OpenFile): OpenFile => ({
    read: async (into, position) => await file.read(into, position),
    write: async (bytes, position) => {
      if (bytes.length <= cutAt) return await file.write(bytes, position);
      await file.write(bytes.subarray(0, cutAt), position);
      await between();
      return cutAt + (await file.write(bytes.subarray(cutAt), position + cutAt));
    },
    truncate: async (length) => await file.truncate(length),
    sync: async () => await file.sync(),
    stat: async () => await file.stat(),
    makePrivate: async () => await file.makePrivate(),
    close: async () => await file.close(),
  });
  return {
    files: {
      open: async (path, mode) => {
        const file = await files.open(path, mode);
        return path.startsWith(`${DIRECTORY}/.longhand/`) || mode === "read" ? file : cut(file);
      },
      makeDirectory: async (path) => await files.makeDirectory(path),
      readDirectory: async (path) => await files.readDirectory(path),
      syncDirectory: async (path) => await files.syncDirectory(path),
      rename: async (from, to) => await files.rename(from, to),
      link: async (from, to) => await files.link(from, to),
      unlink: async (path) => await files.unlink(path),
      removeDirectory: async (path) => await files.removeDirectory(path),
      stat: async (path) => await files.stat(path),
      resolve: async (path) => await files.resolve(path),
    },
    processes: host.processes,
    user: host.user,
    now: () => host.now(),
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background) => await host.wait(milliseconds, background),
  };
}
