/**
 * A reader in the middle of a write: every landing of the writer is cut at each byte in turn, and somebody reads the
 * session between the two halves. What it sees is a beginning of what was written, batches whole; and it changes nothing.
 */

import { SimulatedMachine, type Host } from "@longhand/store/testing";
import { hostWithAlteredFiles } from "../altered-host.ts";
import { Violation } from "../part.ts";
import { DIRECTORY, messagesIn, openQuietly, ToldWrites } from "./told-writes.ts";

/** `order`: for the control. */
export async function searchHalfApplys(order: Order = "as it is"): Promise<number> {
  for (let moments = 0; ; moments++) if (!(await readBetween(moments + 1, order))) return moments;
}

/** False: no write was so long. */
async function readBetween(cutAt: number, order: Order): Promise<boolean> {
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
    inHalves(machine.startProcess(), cutAt, order, async () => {
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

/** Of the two pieces of a landing. */
export type Order = "as it is" | "the end first";

/** Writes to the session's file come in two pieces, if they are longer than `cutAt`. */
function inHalves(host: Host, cutAt: number, order: Order, between: () => Promise<void>): Host {
  return hostWithAlteredFiles(host, (file, path) => {
    // A new session's file is open by the name under which it was made.
    const isSession = path.startsWith(`${DIRECTORY}/.longhand/new/`);
    if (path.startsWith(`${DIRECTORY}/.longhand/`) && !isSession) return undefined;
    return {
      write: async (bytes, position) => {
        if (bytes.length <= cutAt) return await file.write(bytes, position);
        const start = async (): Promise<number> => await file.write(bytes.subarray(0, cutAt), position);
        const rest = async (): Promise<number> => await file.write(bytes.subarray(cutAt), position + cutAt);
        await (order === "as it is" ? start() : rest());
        await between();
        await (order === "as it is" ? rest() : start());
        return bytes.length;
      },
    };
  });
}
