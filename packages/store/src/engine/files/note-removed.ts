import type { Host } from "../../host/host.ts";
import { errorCode, ioError } from "../../host/io-error.ts";
import { makeDirectory } from "../../host/make-directories.ts";
import { removeIfThere } from "../../host/small-files.ts";
import { useFile } from "../../host/use-file.ts";
import { writeFully } from "../../host/write-fully.ts";
import { removedPath, type Layout } from "../../format/layout.ts";
import type { Id } from "../../format/session-id.ts";
import { promised } from "../../host/promised.ts";

/**
 * Says, durably, that a session is removed for good. Journals of other instances may still name it, and without this a
 * record without its file would look like damage to whoever replays it. That the file is there is what counts.
 */
export async function noteRemoved(
  host: Host,
  layout: Layout,
  session: { readonly key: string; readonly id: Id },
): Promise<void> {
  const { files } = host;
  const { key, id } = session;
  const path = removedPath(layout, id);
  const note = { at: new Date(host.now()).toISOString(), key, id, what: "purged" };
  try {
    await makeDirectory(files, layout.removed);
    const file = await promised(() => files.open(path, "create")).catch((error: unknown) => {
      // An attempt before this one has got as far: that it is there is what counts.
      if (errorCode(error) === "EEXIST") return undefined;
      throw error;
    });
    if (file !== undefined) {
      await useFile(file, async () => {
        await writeFully(file, Buffer.from(`${JSON.stringify(note)}\n`), 0);
        await file.sync();
      });
    }
    await promised(() => files.syncDirectory(layout.removed)).catch(async (error: unknown) => {
      // No later sync makes up for it: the next attempt gives the note its name anew.
      await removeIfThere(files, path).catch(() => undefined);
      throw error;
    });
  } catch (error) {
    throw ioError(error, "noting that a session is removed", path);
  }
}
