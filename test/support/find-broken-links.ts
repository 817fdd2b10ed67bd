/** Links of a document that lead nowhere: to no file, or to no heading of it. Links to other sites are not followed. */

import { posix } from "node:path";
import { readAnchors, readLinks } from "./markdown.ts";
import type { TextFile } from "./project.ts";

export interface Repository {
  /** Of every file and directory, relative to the root. */
  readonly exists: (path: string) => boolean;
  readonly read: (path: string) => string;
}

export function findBrokenLinks(document: TextFile, repository: Repository): string[] {
  return readLinks(document.text)
    .filter((link) => !/^[a-z][a-z0-9+.-]*:/i.test(link))
    .flatMap((link) => {
      const problem = problemWith(link, document, repository);
      return problem === undefined ? [] : [`${document.path}: ${link}: ${problem}`];
    });
}

function problemWith(link: string, document: TextFile, repository: Repository): string | undefined {
  const [path = "", anchor] = link.split("#");
  if (path.startsWith("/")) return "an absolute path; it means something else in every viewer";
  const target = path === "" ? document.path : posix.join(posix.dirname(document.path), path);
  if (target.startsWith("..")) return "leaves the repository";
  if (!repository.exists(target)) return "no such file";
  if (anchor === undefined) return undefined;
  return readAnchors(repository.read(target)).includes(anchor) ? undefined : "no such heading";
}
