/** Simulated processes in environments of their own. */

import type { Host } from "@longhand/store/testing";
import { altered, alteredHost } from "../altered-host.ts";
import type { Pair } from "./judge-pair.ts";
import { meet, type OwnerSide, type Side } from "./sides.ts";
import type { Stop } from "./stop.ts";

type Processes = Host["processes"];
type Identity = Processes["self"];
type Answer = Awaited<ReturnType<Processes["probe"]>>;
const FILE_SYSTEMS = { local: "ext4", shared: "6969", unsaid: undefined } as const;

export function ownerHost(host: Host, side: OwnerSide, stop: Stop): Host {
  const { processes } = host;
  return withSide(stop.stoppable(host), side, {
    self: ownerIdentity(host, side),
    listen: async (path, onMessage) => {
      if (!side.listens) return undefined;
      return await processes.listen(path, (text) => stop.whenRunning(() => onMessage?.(text)));
    },
  });
}

function ownerIdentity({ processes }: Host, side: OwnerSide): Identity {
  return { ...identityOf(processes.self, side, "owner"), host: side.host === "same" ? "here" : "there" };
}

/** `ofOwner`: the host of the owner, of whose process the asker may be a thread. */
export function askerHost(host: Host, ofOwner: Host, { owner, asker: side, place, state }: Pair): Host {
  const { processes } = host;
  const self =
    place === "this process"
      ? ownerIdentity(ofOwner, owner)
      : { ...identityOf(processes.self, side, "asker"), host: "here" };
  return withSide(host, side, {
    self,
    probe: async (path) => {
      const answer = await processes.probe(path);
      if (answer === "absent") return answer;
      if (side.socket !== "visible") return side.socket === "hidden" ? "absent" : "unknown";
      return meet(place, owner, side) ? answer : "refused";
    },
    isRunning: async (asked) => {
      if (asked.pidNamespace === undefined || asked.pidNamespace !== self.pidNamespace) return "unknown";
      if (place === "another kernel") return "gone";
      const isSameBoot = asked.bootId !== undefined && asked.bootId === self.bootId;
      const known = {
        ...asked,
        pidNamespace: processes.self.pidNamespace,
        bootId: isSameBoot ? processes.self.bootId : undefined,
      };
      // The process of an ended thread is one that runs: that of the asker stands for it.
      const { pid, startTime } = processes.self;
      const running = await processes.isRunning(
        state === "ended thread" ? { ...known, pid, startTime: asked.startTime && startTime } : known,
      );
      return running === "running" && side.startTime === "hidden" ? "unknown" : running;
    },
  });
}

function identityOf(self: Identity, side: Side, whose: string): Identity {
  const { startTime, ...seen } = side;
  const of = (fact: "bootId" | "pidNamespace"): string | undefined =>
    seen[fact] === "hidden" ? undefined : seen[fact] === "different" ? `of the ${whose}` : self[fact];
  const bootId = of("bootId");
  const pidNamespace = of("pidNamespace");
  return { ...self, bootId, pidNamespace, startTime: startTime === "hidden" ? undefined : self.startTime };
}

function withSide(host: Host, side: Side, given: Partial<Processes>): Host {
  const typeAt = async (): Promise<string | undefined> =>
    await Promise.resolve(FILE_SYSTEMS[side.fileSystem]);
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
