/**
 * What an instance that writes reads: sessions that it holds as it has them, with what it has acknowledged, applied or not;
 * all others as any reader would.
 */

import type { Host } from "../../host/host.ts";
import type { LogPart, OpenedPart } from "../../session/log-part.ts";
import type { SessionLog } from "../../session/session-log.ts";
import type { Snapshot, WantedSessions } from "../../contract/backend.ts";
import type { OnProgress } from "../../contract/types.ts";
import type { SessionInfo } from "../../format/session-record.ts";
import { everySessionFile, type MetFile } from "../files/every-session-file.ts";
import type { Instance } from "../instance/begin-instance.ts";
import { listInfos } from "../reading/list-infos.ts";
import { listReadableSessions } from "../reading/list-sessions.ts";
import { readKey } from "../reading/read-key.ts";
import { openPart, renewLog, reportFor, snapshotOf } from "../reading/read-session.ts";
import { wantedFiles } from "../reading/wanted-files.ts";
import type { HeldSessions } from "./held-sessions.ts";
import type { StorePlace } from "./store-place.ts";

export interface StoreReadingDeps {
  readonly host: Host;
  readonly instance: Instance;
  readonly place: StorePlace;
  readonly heldSessions: HeldSessions;
}

export class StoreReading {
  readonly #deps: StoreReadingDeps;

  constructor(deps: StoreReadingDeps) {
    this.#deps = deps;
  }

  async snapshot(key: string): Promise<Snapshot | undefined> {
    const held = this.#deps.heldSessions.holdIfOpen(key);
    if (held === undefined) return await readKey(await this.#deps.place.current(), key);
    try {
      return this.view(held.log);
    } finally {
      await held.release();
    }
  }

  async *snapshots(onCount?: (sessions: number) => void, wanted?: WantedSessions): AsyncIterable<Snapshot> {
    const { place, heldSessions } = this.#deps;
    const { files, layout } = place.applied;
    const open = heldSessions.openLogs();
    const current = await place.current();
    const seen = new Set<string>();
    for (const log of open) {
      seen.add(log.header.id);
      yield this.view(log);
    }
    const paths = new Set(open.map(({ path }) => path));
    const met = metBefore(paths, everySessionFile(files, layout, onCount));
    yield* listReadableSessions(current, wantedFiles(current, met, wanted), seen);
  }

  /** The info of every session, from the catalog where that still holds. */
  async infos(onProgress: OnProgress): Promise<readonly SessionInfo[]> {
    const { host, instance, place, heldSessions } = this.#deps;
    const open = heldSessions.openLogs();
    const current = await place.current();
    const { layout } = current;
    const temporaryPath = (): string => instance.temporaryPath();
    return await listInfos(
      { host, layout, temporaryPath, place: current, onProgress },
      open.map((log) => ({ info: this.view(log).info, path: log.path })),
    );
  }

  /** A session that this instance has open, as it is now. */
  view({ header, state, parts, damage }: SessionLog): Snapshot {
    const { place, heldSessions } = this.#deps;
    const open = async (part: LogPart): Promise<OpenedPart | "replaced" | undefined> => {
      const held = part.sum === undefined ? heldSessions.holdIfOpen(header.key) : undefined;
      if (held?.log.header.id === header.id && held.log.header.file === part.file) {
        return { path: held.log.path, source: held.log.source(), close: async () => await held.release() };
      }
      // Put away, sealed or given up since: everything it had acknowledged is in its files.
      await held?.release();
      // The writer of a file that another session has written may have died since.
      const from = part.writtenBy === header.id ? place.applied : await place.current();
      return await openPart(from, header, part, []);
    };
    const readable = {
      parts,
      onDamage: reportFor(place.applied, header),
      openPart: open,
      renew: async () => await renewLog(await place.current(), header, state.seq),
    };
    return snapshotOf(readable, header, state, damage.length, "active");
  }
}

/** Files at these paths were met: they need be looked at only if they hold another session by now. */
async function* metBefore(paths: ReadonlySet<string>, found: AsyncIterable<MetFile>): AsyncIterable<MetFile> {
  for await (const { file, isAgain } of found) yield { file, isAgain: isAgain || paths.has(file.path) };
}
