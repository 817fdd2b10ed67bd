/**
 * Who may write to a key: one instance at a time, until it gives the lease up. A lease whose holder has no journal is
 * free: a living instance has its journal from before its first lease until its end. A dead holder is taken over first,
 * so that everything it has acknowledged is in place before its lease is anybody's; a living one, even a stopped one, is
 * never robbed: whoever wants the lease stands in line and tells it.
 */

import { assertNever } from "../errors.ts";
import type { Host } from "../host/host.ts";
import type { InstanceDescription } from "../wal/instance-description.ts";
import { newId } from "../host/new-id.ts";
import type { LeaseFiles, LeaseRow } from "./lease-files.ts";
import { leaseNameOf, socketPath, type Layout, type LeaseName } from "../format/layout.ts";
import type { OtherInstances, Standing } from "./other-instances.ts";
import type { Deadline } from "./deadline.ts";
import { PlaceInLine } from "./place-in-line.ts";
import { sessionLocked, type Blocker } from "./session-locked.ts";
import type { Id } from "../format/session-id.ts";

/** So often a waiting one asks whether the holder lives, and tells it. */
const ASK_AGAIN = 200;

/** Puts what dead instances have acknowledged into the files; engine/instance/recovery.ts does it. */
export interface DeadRecovery {
  /** Of an instance that is dead. Resolves when its journal is gone. */
  recover(dead: Id, deadline: Deadline): Promise<void>;
  recoverAll(deadline: Deadline): Promise<void>;
}

export interface LeaseDeps {
  readonly host: Host;
  readonly layout: Layout;
  readonly self: InstanceDescription;
  readonly leaseFiles: LeaseFiles;
  readonly otherInstances: OtherInstances;
  readonly recovery: DeadRecovery;
}

export interface Lease {
  readonly name: LeaseName;
  /** Somebody else stood in line when it was taken. */
  readonly isWanted: boolean;
  /** Everything written under it must be landed and synced. */
  giveUp(): Promise<void>;
}

/** What a waiting one has learnt of the holder, and when. */
interface Asked {
  readonly instance: Id;
  readonly waited: number;
  readonly standing: Standing;
}

export class Leases {
  readonly #deps: LeaseDeps;

  constructor(deps: LeaseDeps) {
    this.#deps = deps;
  }

  /** Waits in line. SESSION_LOCKED, naming the holder, when patience is out. One call at a time for a key. */
  async take(key: string, deadline: Deadline): Promise<Lease> {
    return await this.takeNamed(leaseNameOf(key), key, deadline);
  }

  /** For a session whose key cannot be read; `label` is what to call it. */
  async takeNamed(name: LeaseName, label: string, deadline: Deadline): Promise<Lease> {
    const { leaseFiles, otherInstances, host, self } = this.#deps;
    const id = newId(host);
    const place = new PlaceInLine(leaseFiles, otherInstances, name, { id, instance: self.instance });
    let asked: Asked | undefined;
    try {
      for (;;) {
        deadline.check();
        const answer = await this.#attempt(name, place, deadline, asked);
        if (answer.kind === "taken") return answer.lease;
        if (answer.kind === "again") continue;
        asked = answer.asked;
        if (deadline.isOut) throw sessionLocked(host, label, deadline.milliseconds, answer.blocker);
        await place.enter();
        await this.#tell(name, asked, deadline);
        await deadline.pause();
      }
    } finally {
      // A ticket that stays is passed over, and goes with this instance; a lease that was taken must not be lost for it.
      await place.leave().catch(() => undefined);
    }
  }

  /** Does anybody stand in line for it? For instances that nobody can tell. */
  async isWanted(name: LeaseName): Promise<boolean> {
    const { tickets } = await this.#deps.leaseFiles.readRow(name);
    return tickets.some(({ instance }) => instance !== this.#deps.self.instance);
  }

  async #attempt(
    name: LeaseName,
    place: PlaceInLine,
    deadline: Deadline,
    asked: Asked | undefined,
  ): Promise<Attempt> {
    const { leaseFiles, otherInstances, recovery, self } = this.#deps;
    const row = await leaseFiles.readRow(name);
    const newest = row.epochs.at(-1);
    const holder = newest === undefined ? FREE : await leaseFiles.readHolder(name, newest);
    switch (holder.kind) {
      case "gone":
        return AGAIN;
      case "unclear":
        if (await this.#isAlone(deadline)) break;
        place.noTurn();
        return { kind: "blocked", blocker: { what: "unclear" }, asked: undefined };
      case "held": {
        // Ours, though we do not hold it: an attempt that was cut short.
        if (holder.instance === self.instance) break;
        const now = await this.#askOf(holder.instance, deadline.waited, asked);
        const { liveness, owner } = now.standing;
        if (liveness === "ended") break;
        if (liveness === "dead") {
          await recovery.recover(holder.instance, deadline);
          return AGAIN;
        }
        place.noTurn();
        const blocker = { what: "holder", owner, liveness, since: holder.since } as const;
        return { kind: "blocked", blocker, asked: now };
      }
      case "free":
        break;
      default:
        return assertNever(holder);
    }
    const before = await place.before(row.tickets, deadline.waited);
    if (before === undefined) return await this.#takeFree(name, row);
    const { owner, liveness } = await otherInstances.look(before.instance);
    if (liveness === "ended") return AGAIN;
    return { kind: "blocked", blocker: { what: "waiting", owner, liveness }, asked: undefined };
  }

  /** Then a lease that says no name is free; one of the dead may have held it. */
  async #isAlone(deadline: Deadline): Promise<boolean> {
    const { self, otherInstances, recovery } = this.#deps;
    if (await otherInstances.mayLiveBeside(self.instance)) return false;
    await recovery.recoverAll(deadline);
    return true;
  }

  async #takeFree(name: LeaseName, row: LeaseRow): Promise<Attempt> {
    const { leaseFiles, host, self } = this.#deps;
    const taken = await leaseFiles.takeAfter(name, row, new Date(host.now()).toISOString());
    if (taken === undefined) return AGAIN;
    const lease: Lease = {
      name,
      isWanted: taken.tickets.some(({ instance }) => instance !== self.instance),
      giveUp: async () => await leaseFiles.giveUp(name, taken.epoch),
    };
    return { kind: "taken", lease };
  }

  /** Whether it has ended shows at once; whether it lives is asked now and then, since that costs it something too. */
  async #askOf(instance: Id, waited: number, asked: Asked | undefined): Promise<Asked> {
    const { otherInstances } = this.#deps;
    const isFresh = asked?.instance === instance && waited - asked.waited < ASK_AGAIN;
    if (!isFresh) return { instance, waited, standing: await otherInstances.look(instance) };
    const ended = await otherInstances.hasEnded(instance);
    return ended ? { ...asked, standing: { liveness: "ended", owner: undefined } } : asked;
  }

  /** After the ticket is there: what it gives up because of us must not be its own again before we had our turn. */
  async #tell(name: LeaseName, asked: Asked | undefined, deadline: Deadline): Promise<void> {
    if (asked?.waited !== deadline.waited || asked.standing.owner?.listens === false) return;
    const { host, layout } = this.#deps;
    await host.processes.tell(socketPath(layout, asked.instance), `${WANTS}${name}`);
  }
}

const WANTS = "wants ";

/** The lease that a message asks for; `undefined`: it is no such message. */
export function wantedLease(message: string): string | undefined {
  return message.startsWith(WANTS) ? message.slice(WANTS.length) : undefined;
}

type Attempt =
  | { readonly kind: "taken"; readonly lease: Lease }
  | { readonly kind: "again" }
  | { readonly kind: "blocked"; readonly blocker: Blocker; readonly asked: Asked | undefined };

const AGAIN = { kind: "again" } as const;
const FREE = { kind: "free" } as const;
