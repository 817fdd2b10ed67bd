/** Forks the session of one key to another, under the leases of both. */

import type { Host } from "../../host/host.ts";
import { openSessionForWriting } from "../../session/open-session.ts";
import type { SessionLog } from "../../session/session-log.ts";
import { newId } from "../../host/new-id.ts";
import type { SessionState } from "../../format/fold.ts";
import type { Snapshot } from "../../contract/backend.ts";
import { liveEntries } from "../../contract/live-entries.ts";
import { checkFork } from "../../contract/check-fork.ts";
import { checkForkPoint, forkSession } from "./fork-session.ts";
import { isAlias } from "../files/alias-table.ts";
import { sessionPath } from "../../format/layout.ts";
import { checkOnlyFile } from "../files/only-file.ts";
import { newestPutAway } from "../reading/list-sessions.ts";
import type { ReadPlace } from "../reading/read-session.ts";
import { linkOf, type SealDeps } from "./seal-session.ts";
import type { HeldSession } from "./held-session.ts";
import type { OpenSessions } from "./open-sessions.ts";
import type { SessionQueues } from "./session-queues.ts";
import type { StorePlace } from "./store-place.ts";
import type { StoreReading } from "./store-reading.ts";

export interface SessionForksDeps {
  readonly host: Host;
  readonly place: StorePlace;
  readonly sessions: OpenSessions;
  readonly reading: StoreReading;
  readonly queues: SessionQueues;
}

interface ForkKeyDeps extends SealDeps, Pick<SessionForksDeps, "host" | "reading"> {
  readonly place: ReadPlace;
}

export class SessionForks {
  readonly #deps: SessionForksDeps;
  #underWay = 0;

  constructor(deps: SessionForksDeps) {
    this.#deps = deps;
  }

  get areUnderWay(): boolean {
    return this.#underWay > 0;
  }

  async fork(key: string, newKey: string, at: number | undefined): Promise<void> {
    const { host, place, sessions, reading, queues } = this.#deps;
    const deps = { ...sessions.sealing, host, reading, place: place.applied };
    this.#underWay++;
    try {
      await queues.withSessions(key, newKey, async (parent, child) => {
        await forkKey(deps, parent, child, at);
        sessions.noteBegun(newKey);
      });
    } finally {
      this.#underWay--;
    }
  }
}

async function forkKey(
  deps: ForkKeyDeps,
  parent: HeldSession,
  child: HeldSession,
  at: number | undefined,
): Promise<void> {
  const archived = parent.log === undefined ? await openArchived(deps, parent.key) : undefined;
  const log = parent.log ?? archived;
  try {
    const seq = log?.state.seq ?? 0;
    const { files } = deps.host;
    const isNewKeyTaken = child.log !== undefined || (await isAlias(files, deps.layout, child.key));
    const last = checkFork({ key: parent.key, seq, newKey: child.key, isNewKeyTaken, at });
    if (log === undefined) return;
    checkForkPoint(log.header, seq, last);
    const { id, key } = log.header;
    await checkOnlyFile(files, deps.layout, { key, id, path: log.path });
    await deps.settle(log);
    const { host, layout } = deps;
    await forkSession(
      deps,
      { path: log.path, header: log.header, link: linkOf(log) },
      {
        key: child.key,
        id: newId(host),
        path: sessionPath(layout, child.key),
        created: new Date(host.now()).toISOString(),
        state: await withoutDropped(deps.reading.view(log), last === seq ? log.state : undefined, last),
      },
    );
  } finally {
    await archived?.close();
  }
}

/** The state after this record; its view begins with what is still kept, since the child has no more than that. */
async function withoutDropped(
  log: Snapshot,
  present: SessionState | undefined,
  last: number,
): Promise<SessionState> {
  const state = present ?? (await log.stateAfter(last));
  if (state.keepFrom >= log.firstSeq || last === 0) return state;
  const view = { ...state, keepFrom: log.firstSeq };
  let count = 0;
  for await (const { seq } of liveEntries(view, log, { from: log.firstSeq, to: last, reverse: false }))
    count += seq > 0 ? 1 : 0;
  return { ...view, count };
}

async function openArchived(deps: ForkKeyDeps, key: string): Promise<SessionLog | undefined> {
  const { place } = deps;
  const { files, layout, onDamage, onError } = place;
  const file = (await newestPutAway(place, "archived", key))?.file;
  if (file === undefined) return undefined;
  const { segments, damaged: damagedDirectory } = layout;
  return await openSessionForWriting({
    ...deps,
    path: file.path,
    key,
    segments,
    damagedDirectory,
    replaceBy: async (temporary) => {
      await deps.checkMayChange();
      await files.rename(temporary, file.path);
      await deps.syncNames(layout.archive);
      await deps.syncNames(layout.temporary);
    },
    onDamage,
    onError,
  });
}
