/** For the control: a file system whose link() says that it has made a name that was there before. */

import type { Host } from "@longhand/store/testing";

export function withLyingLink(host: Host): Host {
  const { files } = host;
  return {
    ...host,
    files: {
      ...files,
      link: async (from, to) => {
        try {
          await files.link(from, to);
        } catch (error) {
          if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
        }
      },
    },
  };
}
