import type { Host } from "@longhand/store/testing";
import { filesUnder, putFile } from "../damage/simulated-files.ts";

/** One byte of a checkpoint is changed in a session's active file: damage that costs no record. */
export async function spoilCheckpoint(host: Host, directory: string): Promise<void> {
  for (const { path, bytes } of await filesUnder(host, directory)) {
    const at = bytes.indexOf('{"checkpoint":');
    if (at === -1 || !path.endsWith(".jsonl") || path.includes("/segments/")) continue;
    bytes[at] = 0x23;
    await putFile(host, path, bytes);
    return;
  }
  throw new Error(`no active file under ${directory} has a checkpoint`);
}
