import type { FileStat, FileSystem } from "../../host/host.ts";
import { notOpenedText } from "../../format/damage-reason.ts";
import { errorCode } from "../../host/io-error.ts";
import { readWholeFile } from "../../host/small-files.ts";
import { whyNotOpened } from "../../host/try-open.ts";

export type TextFile =
  | { readonly kind: "text"; readonly text: string; readonly stat: FileStat }
  | {
      readonly kind: "unreadable";
      readonly reason: string;
      readonly stat: FileStat | undefined;
      /** Nothing is known to be wrong with it: this user may not read it. */
      readonly notPermitted?: true;
    };

/** Never throws: a file that cannot be read is so for a stated reason. `undefined`: it has gone meanwhile. */
export async function readTextFile(
  files: FileSystem,
  path: string,
  limit: number,
): Promise<TextFile | undefined> {
  let stat: FileStat | undefined;
  try {
    stat = await files.stat(path);
    if (stat === undefined) return undefined;
    if (stat.size > limit) return { kind: "unreadable", reason: `it has more than ${limit} bytes`, stat };
    const content = await readWholeFile(files, path, limit);
    if (content === undefined) return undefined;
    return { kind: "text", text: decodeUtf8(content), stat };
  } catch (error) {
    const why = whyNotOpened(error);
    if (why === undefined) return { kind: "unreadable", reason: reasonOf(error), stat };
    const permission = why.code === "not-permitted" ? ({ notPermitted: true } as const) : {};
    return { kind: "unreadable", reason: notOpenedText(why), stat, ...permission };
  }
}

/** Strict: a lenient one would put replacement characters where there was something else. A mark at the start goes. */
function decodeUtf8(bytes: Buffer): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
}

function reasonOf(error: unknown): string {
  const code = errorCode(error);
  if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return "it is not valid UTF-8";
  return `it could not be read: ${code ?? String(error)}`;
}
