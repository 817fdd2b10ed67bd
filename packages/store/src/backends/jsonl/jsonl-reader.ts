/**
 * The directory for reading only: takes no lease, changes nothing, and works while another process writes. Of a living
 * writer's sessions it sees what has landed. The journals of dead ones are read first and laid over the files in
 * memory, so that nothing acknowledged is missing although nobody has recovered it yet.
 */

import { LonghandError } from "../../errors.ts";
import type { Host } from "../../host/host.ts";
import { errorCode, ioError } from "../../host/io-error.ts";
import type { Patch } from "../../log/byte-source.ts";
import type { BackendOptions, OpenBackend, PutAway, Snapshot } from "../../store/backend.ts";
import { listInstances, problemOf, syncAndReadJournal } from "./adopt-journals.ts";
import { sessionFiles } from "./find-session-file.ts";
import { livenessOf } from "./instance.ts";
import { journalPath, layoutOf, sessionPath, type Layout } from "./layout.ts";
import { listReadableSessions, newestPutAway } from "./list-sessions.ts";
import { readSession, type ReadPlace } from "./read-session.ts";
import { currentWriter } from "./writer-lease.ts";

export class JsonlReader implements OpenBackend {
  readonly directory: string;
  readonly putAway: PutAway = {
    archive: async () => await this.write(),
    restore: async () => await this.write(),
    delete: async () => await this.write(),
  };
  readonly #host: Host;
  readonly #layout: Layout;
  readonly #options: BackendOptions;

  constructor(host: Host, directory: string, options: BackendOptions) {
    this.directory = directory;
    this.#host = host;
    this.#layout = layoutOf(directory);
    this.#options = options;
  }

  write(): Promise<never> {
    const { directory } = this;
    const message = `${directory} was opened with readOnly; open it without to write`;
    return Promise.reject(new LonghandError("STORE_READ_ONLY", message, { directory }));
  }

  async snapshot(key: string): Promise<Snapshot | undefined> {
    const place = await this.#place();
    const active = { path: sessionPath(this.#layout, key), status: "active" } as const;
    // Active again after the archive: it may have come back while we looked there.
    return (
      (await readSession(place, active, key)) ??
      (await newestPutAway(place, "archived", key))?.snapshot ??
      (await readSession(place, active, key))
    );
  }

  async *snapshots(): AsyncIterable<Snapshot> {
    const place = await this.#place();
    yield* listReadableSessions(place, await sessionFiles(this.#host.files, this.#layout));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** The instance whose journal must be left alone: it lives, or may live. */
  async #livingWriter(): Promise<string | undefined> {
    const writer = await currentWriter(this.#host.files, this.#layout);
    if (writer === undefined || writer === "unclear") return writer;
    return (await livenessOf(this.#host, this.#layout, writer)) === "dead" ? undefined : writer.instance;
  }

  /** The journals before the files: a takeover that ends between the two has then landed what we no longer find. */
  async #place(): Promise<ReadPlace> {
    const unlanded = await this.#unlandedRecords().catch((error: unknown) => {
      if (errorCode(error) === "ENOTDIR") throw notADirectory(this.directory);
      throw ioError(error, "reading the journals", this.#layout.journals);
    });
    return {
      files: this.#host.files,
      layout: this.#layout,
      patchesOf: (id) => unlanded.get(id) ?? [],
      onDamage: this.#options.onDamage,
      onError: this.#options.onError,
    };
  }

  /** What dead writers have acknowledged and nobody has recovered yet, by session id. */
  async #unlandedRecords(): Promise<Map<string, Patch[]>> {
    const { files } = this.#host;
    const unlanded = new Map<string, Patch[]>();
    // Listed before the lease is read: whoever's journal is in the list had the lease by then.
    const instances = await ifThere(async () => await listInstances(files, this.#layout), []);
    if (instances.length === 0) return unlanded;
    const living = await this.#livingWriter();
    for (const instance of instances) {
      if (living === "unclear" || instance === living) continue;
      const found = await ifThere(
        async () => await syncAndReadJournal(files, journalPath(this.#layout, instance)),
        undefined,
      );
      if (found === undefined) continue;
      const problem = problemOf(found);
      if (problem !== undefined) {
        this.#options.onDamage({
          file: journalPath(this.#layout, instance),
          offset: 0,
          bytes: 0,
          kind: "corrupt",
          reason: problem,
        });
      }
      if (found.kind !== "journal") continue;
      for (const { session, offset, bytes } of found.contents.records) {
        const patches = unlanded.get(session);
        if (patches === undefined) unlanded.set(session, [{ offset, bytes }]);
        else patches.push({ offset, bytes });
      }
    }
    return unlanded;
  }
}

/** A directory that does not exist, or not yet, is an empty store to a reader. */
async function ifThere<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return otherwise;
    throw error;
  }
}

function notADirectory(directory: string): LonghandError {
  return new LonghandError("DIRECTORY_UNSAFE", `${directory} is not a directory`, { directory });
}
