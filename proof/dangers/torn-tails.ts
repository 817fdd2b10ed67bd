/** A session's file is cut at each byte, then written to: what was torn is kept aside, byte for byte, before it goes. */

import { SimulatedMachine, type FileSystem, type Host } from "@longhand/store/testing";
import { Violation } from "../part.ts";
import { DIRECTORY, openQuietly, ToldWrites } from "./told-writes.ts";

const FILE = `${DIRECTORY}/a.jsonl`;
const DAMAGED = `${DIRECTORY}/.longhand/damaged`;

/** `spoil`: what is wrong with the host of who opens it again. */
export async function searchTornTails(spoil: (host: Host) => Host = (host) => host): Promise<number> {
  const machine = new SimulatedMachine(1);
  const writer = await openQuietly(machine.startProcess());
  await new ToldWrites().append(writer, "one");
  await new ToldWrites().append(writer, "two", "three");
  await writer.close();
  const whole = machine.capture();
  const bytes = await read(machine.startProcess().files, FILE);
  const header = bytes.indexOf("\n") + 1;
  for (let length = header; length < bytes.length; length++) {
    const cut = whole.afterKill();
    const { files } = cut.startProcess();
    const file = await files.open(FILE, "write");
    await file.truncate(length);
    const again = await openQuietly(spoil(cut.startProcess()));
    const isAnswered = await new ToldWrites().append(again, "four");
    await again.close();
    const after = await read(files, FILE);
    let same = 0;
    while (same < length && after[same] === bytes[same]) same += 1;
    const torn = bytes.subarray(same, length);
    const kept = await Promise.all(
      (await files.readDirectory(DAMAGED)).map(async (name) => await read(files, `${DAMAGED}/${name}`)),
    );
    if (isAnswered && (torn.length === 0 || kept.some((copy) => copy.includes(torn)))) continue;
    throw new Violation(
      `${FILE} was cut to ${length} bytes, then appended to (${isAnswered ? "answered" : "refused"}): ` +
        `of its bytes ${same} to ${length} there is no copy in ${DAMAGED}\n${cut.describe()}`,
    );
  }
  return bytes.length - header;
}

async function read(files: FileSystem, path: string): Promise<Buffer> {
  const file = await files.open(path, "read");
  const bytes = Buffer.alloc((await file.stat()).size);
  await file.read(bytes, 0);
  return bytes;
}
