import type { FileSystem } from "../host/host.ts";
import { useFile } from "../host/use-file.ts";

/** The bytes at the start of a file: whether it is ours can be told by them. */
export async function readStart(files: FileSystem, path: string, bytes: number): Promise<Buffer> {
  return await useFile(await files.open(path, "read"), async (file) => {
    const start = Buffer.alloc(bytes);
    return start.subarray(0, await file.read(start, 0));
  });
}
