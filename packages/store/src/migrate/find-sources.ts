/** The sources in a directory. Reads first bytes, documents and sidecars; lines are left to examine-source.ts. */

import type { FileStat, FileSystem } from "../host/host.ts";
import type { FoundSource } from "./examine-source.ts";
import {
  ARCHIVED_SUFFIX,
  isSurelyOurs,
  LINES_SUFFIX,
  META_SUFFIX,
  sortForeignNames,
} from "./foreign-names.ts";
import type { LeftAlone, LookedAt } from "./migration-plan.ts";
import { looksLikeSession, START_BYTES as PROBE_BYTES } from "./looks-like-session.ts";
import { readDocument } from "./read-document.ts";
import { readStart } from "./read-start.ts";
import { isPicoclawMeta, similarTo } from "./recognize.ts";

const OUR_START = /^(?:\u00ef\u00bb\u00bf)?\{"longhand":/;
const START_BYTES = 32;

export interface FoundSources {
  readonly sources: readonly FoundSource[];
  readonly leftAlone: readonly LeftAlone[];
  readonly ours: readonly string[];
}

export async function findSources(
  files: FileSystem,
  directory: string,
  names: readonly string[],
  lookedAt: LookedAt,
): Promise<FoundSources> {
  return await new Finder(files, directory, names, lookedAt).find();
}

class Finder {
  readonly #files: FileSystem;
  readonly #directory: string;
  readonly #names: ReturnType<typeof sortForeignNames>;
  readonly #knownOurs: ReadonlySet<string>;
  readonly #known: ReadonlyMap<string, LookedAt["left"][number]>;
  readonly #sources: FoundSource[] = [];
  readonly #foreignLines = new Set<string>();
  readonly #leftAlone: LeftAlone[] = [];
  readonly #ours: string[] = [];

  constructor(files: FileSystem, directory: string, names: readonly string[], lookedAt: LookedAt) {
    this.#files = files;
    this.#directory = directory;
    this.#names = sortForeignNames(names);
    this.#knownOurs = new Set(lookedAt.ours);
    this.#known = new Map(lookedAt.left.map((left) => [left.name, left]));
  }

  async find(): Promise<FoundSources> {
    this.#leftAlone.push(...this.#names.leftAlone);
    for (const name of this.#names.documents) await this.#document(name, name.slice(0, -".json".length));
    const { lines, archived, metas } = this.#names;
    for (const stem of lines) {
      if (isSurelyOurs(stem) && !metas.has(stem)) continue;
      if (this.#knownOurs.has(stem) && !metas.has(stem)) this.#ours.push(stem);
      else await this.#lines(stem);
    }
    for (const stem of archived) {
      if (!this.#isForeignLines(stem) && (await this.#isReadable(stem + ARCHIVED_SUFFIX)))
        this.#add(stem, [{ name: stem + ARCHIVED_SUFFIX, holds: "lines" }], {
          wasArchived: true,
          format: "kernel-jsonl",
        });
    }
    for (const stem of metas) {
      if (!this.#isForeignLines(stem)) await this.#metaAlone(stem);
    }
    return { sources: this.#sources, leftAlone: this.#leftAlone, ours: this.#ours };
  }

  async #document(name: string, fileKey: string): Promise<boolean> {
    if (!(await this.#isReadable(name))) return false;
    const { content } = await readDocument(this.#files, this.#pathOf(name), name);
    if (content.kind === "unreadable") await this.#leaveUnreadable(name, content.reason);
    else if (content.kind === "similar") this.#leave(name, "similar", similarTo(content.similar));
    else if (content.kind === "object") this.#leave(name, "not-a-session", "it has no messages");
    else {
      const { format, fields, id } = content;
      this.#add(fileKey, [{ name, holds: "document" }], { format, fields, ownId: id });
    }
    return content.kind === "session";
  }

  async #lines(stem: string): Promise<void> {
    const name = stem + LINES_SUFFIX;
    if (!(await this.#isReadable(name))) return;
    const start = await readStart(this.#files, this.#pathOf(name), START_BYTES);
    if (OUR_START.test(start.toString("latin1"))) {
      this.#ours.push(stem);
      return;
    }
    const lines = { name, holds: "lines" } as const;
    const archive = stem + ARCHIVED_SUFFIX;
    if (this.#names.archived.has(stem) && (await this.#isReadable(archive))) {
      // Saved again after it was archived: the archive is the beginning of the conversation.
      this.#add(stem, [{ name: archive, holds: "lines" }, lines], { format: "kernel-jsonl" });
    } else if (this.#names.metas.has(stem)) await this.#withMeta(stem, lines);
    else this.#add(stem, [lines], {});
  }

  async #withMeta(stem: string, lines: FoundSource["files"][number]): Promise<void> {
    const name = stem + META_SUFFIX;
    const isFile = (await this.#stat(name))?.kind === "file";
    const content = isFile
      ? (await readDocument(this.#files, this.#pathOf(name), name)).content
      : ({ kind: "unreadable", reason: "it is no regular file" } as const);
    if (content.kind === "object" && isPicoclawMeta(content.fields)) {
      const meta = { name, holds: "meta" } as const;
      this.#add(stem, [lines, meta], { format: "picoclaw-jsonl", fields: content.fields });
      return;
    }
    // A session of its own whose key ends in ".meta", or damaged: the lines stand alone.
    const remarks = [`${name} says nothing about it: the key is the file's name, and nothing is hidden`];
    const isBeside = content.kind === "unreadable" && isFile;
    const files = isBeside ? [lines, { name, holds: "meta" } as const] : [lines];
    this.#add(stem, files, { remarks });
    if (content.kind === "session") await this.#document(name, `${stem}.meta`);
  }

  async #metaAlone(stem: string): Promise<void> {
    const name = stem + META_SUFFIX;
    if (!(await this.#isReadable(name))) return;
    const { content } = await readDocument(this.#files, this.#pathOf(name), name);
    if (content.kind === "session") await this.#document(name, `${stem}.meta`);
    else if (content.kind === "unreadable") await this.#leaveUnreadable(name, content.reason);
    else if (content.kind === "similar") this.#leave(name, "similar", similarTo(content.similar));
    else if (this.#names.lines.has(stem))
      this.#leave(name, "not-a-session", `${stem}${LINES_SUFFIX} does not belong to it`);
    else if (!isPicoclawMeta(content.fields))
      this.#leave(name, "not-a-session", "it has no messages, and is no sidecar with a key and times");
    else {
      const remarks = [`${stem}${LINES_SUFFIX} is not there: its messages are lost, or there were none`];
      const { fields } = content;
      this.#add(stem, [{ name, holds: "meta" }], { format: "picoclaw-jsonl", fields, remarks });
    }
  }

  #add(fileKey: string, files: FoundSource["files"], rest: Partial<FoundSource>): void {
    const unknown = { format: undefined, wasArchived: false, fields: {}, ownId: undefined, remarks: [] };
    this.#sources.push({ ...unknown, ...rest, fileKey, files });
    for (const { name, holds } of files) if (holds === "lines") this.#foreignLines.add(name);
  }

  #isForeignLines(stem: string): boolean {
    return this.#foreignLines.has(stem + LINES_SUFFIX);
  }

  /** A regular file that no earlier look has put aside, as it is now. */
  async #isReadable(name: string): Promise<boolean> {
    const stat = await this.#stat(name);
    if (stat === undefined) return false;
    if (stat.kind !== "file") {
      this.#leave(name, "not-a-session", "it is no regular file");
      return false;
    }
    const known = this.#known.get(name);
    if (known?.size !== stat.size || known.modified !== stat.modified) return true;
    this.#leave(name, known.kind, known.reason);
    return false;
  }

  /** Cut short, or never a session at all: its first bytes tell which is more likely. */
  async #leaveUnreadable(name: string, reason: string): Promise<void> {
    const start = await readStart(this.#files, this.#pathOf(name), PROBE_BYTES);
    if (!looksLikeSession(name, start)) this.#leave(name, "not-a-session", reason);
    else this.#leave(name, "similar", `looks like a session of another program, not migrated: ${reason}`);
  }

  async #stat(name: string): Promise<FileStat | undefined> {
    return await this.#files.stat(this.#pathOf(name));
  }

  #leave(name: string, kind: LeftAlone["kind"], reason: string): void {
    this.#leftAlone.push({ name, kind, reason });
  }

  #pathOf(name: string): string {
    return `${this.#directory}/${name}`;
  }
}
