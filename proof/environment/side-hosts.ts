/** Simulated processes in environments of their own. */

import type { Host } from "@longhand/store/testing";
import { altered, alteredHost } from "../altered-host.ts";
import type { Pair } from "./judge-pair.ts";
import { meet, shareTime, type AskerSide, type OwnerSide, type Seen, type Side } from "./sides.ts";
import type { Stop } from "./stop.ts";

type Processes = Host["processes"];
type Identity = Processes["self"];
type Answer = Awaited<ReturnType<Processes["probe"]>>;
/** Of the machine; a simulated one does not say. */
const TIME_NAMESPACE = "time:[1]";
const FILE_SYSTEMS: Readonly<Record<Side["fileSystem"], string | undefined>> = {
  local: "ext4",
  shared: "6969",
  unsaid: undefined,
};

export function ownerHost(host: Host, side: OwnerSide, stop: Stop): Host {
  const { processes } = host;
  const { self, fileSystem, listens } = shownByOwner(host, side);
  return withFileSystem(stop.stoppable(host), fileSystem, {
    self,
    listen: async (path, onMessage) => {
      if (!listens) return undefined;
      return await processes.listen(path, (text) => stop.whenRunning(() => onMessage?.(text)));
    },
  });
}

/** What is left beside these must be facts of an identity. */
function shownByOwner(
  { processes }: Host,
  { fileSystem, listens, host, ...facts }: OwnerSide,
): Shown & { readonly listens: boolean } {
  const self = identityOf(processes.self, facts, "owner", host === "same" ? "here" : "there");
  return { self, fileSystem: FILE_SYSTEMS[fileSystem], listens };
}

function shownByAsker(
  { processes }: Host,
  { fileSystem, socket, ...facts }: AskerSide,
): Shown & { readonly socket: AskerSide["socket"] } {
  const self = identityOf(processes.self, facts, "asker", "here");
  return { self, fileSystem: FILE_SYSTEMS[fileSystem], socket };
}

interface Shown {
  readonly self: Identity;
  readonly fileSystem: string | undefined;
}

/** `ofOwner`: the host of the owner, of whose process the asker may be a thread. */
export function askerHost(host: Host, ofOwner: Host, pair: Pair): Host {
  const { owner, asker, place } = pair;
  const { processes } = host;
  const { self, fileSystem, socket } = shownByAsker(host, asker);
  return withFileSystem(host, fileSystem, {
    self: place === "this process" ? shownByOwner(ofOwner, owner).self : self,
    probe: async (path) => {
      const answer = await processes.probe(path);
      if (answer === "absent") return answer;
      if (socket !== "visible") return socket === "hidden" ? "absent" : "unknown";
      return meet(place, owner, asker) ? answer : "refused";
    },
    find: async (pid) => {
      if (!seesPidOf(pair)) return "none";
      // The process of an ended thread goes on.
      if (pair.state !== "ended thread" && (await processes.find(pid)) === "none") return "none";
      if (asker.startTime === "hidden") return { startTime: undefined };
      const { startTime } = ofOwner.processes.self;
      const isShared = shareTime(place, owner, asker);
      return { startTime: isShared ? startOf(owner, startTime, "owner") : `${startTime} elsewhere` };
    },
  });
}

/** Through another pid namespace, or on another kernel, the owner's pid is that of no process. */
function seesPidOf({ owner, asker, place }: Pair): boolean {
  if (place === "this process") return true;
  return place === "this kernel" && owner.pidNamespace === "visible" && asker.pidNamespace === "visible";
}

/** Each fact that an identity has is given here, also those that it may lack: one that is added does not compile before. */
type EveryFact = { readonly [Fact in keyof Required<Identity>]: Identity[Fact] };

function identityOf(self: Identity, facts: Facts, whose: "owner" | "asker", host: string): EveryFact {
  const { bootId, pidNamespace, timeNamespace, startTime, ...others } = facts;
  noneLeft(others);
  return {
    pid: self.pid,
    host,
    bootId: asSeen(bootId, self.bootId, whose),
    pidNamespace: asSeen(pidNamespace, self.pidNamespace, whose),
    timeNamespace: asSeen(timeNamespace, TIME_NAMESPACE, whose),
    startTime: startTime === "hidden" ? undefined : startOf(facts, self.startTime, whose),
  };
}

type Facts = Omit<Side, "fileSystem">;

/** A property of a side that nothing here shows does not compile. */
function noneLeft(others: Readonly<Record<string, never>>): void {
  const [other] = Object.keys(others);
  if (other !== undefined) throw new TypeError(`the simulator does not show the property ${other}`);
}

function asSeen(seen: Seen, own: string | undefined, whose: "owner" | "asker"): string | undefined {
  switch (seen) {
    case "visible":
      return own;
    case "hidden":
      return undefined;
    case "different":
      return `of the ${whose}`;
  }
}

/** When a process started, as it is seen in the time namespace of this side. */
function startOf(
  { timeNamespace }: Facts,
  startTime: string | undefined,
  whose: "owner" | "asker",
): string | undefined {
  return timeNamespace === "visible" ? startTime : `${startTime} for the ${whose}`;
}

function withFileSystem(host: Host, type: string | undefined, given: Partial<Processes>): Host {
  const typeAt = async (): Promise<string | undefined> => await Promise.resolve(type);
  return altered(
    alteredHost(host, () => ({ typeAt })),
    { processes: altered(host.processes, given) },
  );
}

/** Mistakes in judging whether the owner lives, each of which must show. */
export const MISTAKES: Readonly<Record<string, (host: Host, pair: Pair) => Host>> = {
  "another boot id counts before the socket is asked": (host, { owner, asker }) =>
    owner.bootId === "visible" && asker.bootId === "visible" ? host : refused(host),
  "an owner that does not answer counts as dead": (host, { state }) =>
    state === "stopped" ? refused(host) : host,
  "an instance with the own pid counts as one of an earlier process": (host, { place }) =>
    place === "this process" ? refused(host) : host,
};

function refused(host: Host): Host {
  const probe = async (): Promise<Answer> => await Promise.resolve("refused");
  return altered(host, { processes: altered(host.processes, { probe }) });
}
