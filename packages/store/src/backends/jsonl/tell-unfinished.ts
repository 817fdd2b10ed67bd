import { LonghandError } from "../../errors.ts";
import { putAwayName, type Layout } from "../../format/layout.ts";
import type { FileSystem } from "../../host/host.ts";
import { isUnfinished } from "../../migrate/manifest.ts";

/** An opening that was not asked to migrate does not follow a manifest it finds: it only says that there is one. */
export async function tellUnfinished(
  files: FileSystem,
  layout: Layout,
  onError: (error: LonghandError) => void,
): Promise<void> {
  if (!(await isUnfinished(files, { ...layout, putAwayName }))) return;
  const { directory } = layout;
  const message = `a migration of ${directory} has not finished, so sessions may be missing; to complete it: longhand migrate ${directory}`;
  onError(new LonghandError("STORE_FAILED", message, { directory }));
}
