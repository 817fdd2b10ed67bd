/** For the control: a host that syncs once more after a failure, and believes the second answer. */

import type { Host } from "@longhand/store/testing";
import { alteredHost, hostWithAlteredFiles } from "../altered-host.ts";

export function withRetriedSync(host: Host): Host {
  const retry = async (sync: () => Promise<void>): Promise<void> => await sync().catch(sync);
  const ofFiles = hostWithAlteredFiles(host, (file) => ({
    sync: async () => await retry(async () => await file.sync()),
  }));
  return alteredHost(ofFiles, (files) => ({
    syncDirectory: async (path) => await retry(async () => await files.syncDirectory(path)),
  }));
}
