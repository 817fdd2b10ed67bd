/** Simulated processes in environments of their own. */

import type { Host } from "@longhand/store/testing";
import { altered, alteredHost } from "../altered-host.ts";
import { meet, type AskerSide, type OwnerSide, type Place, type Side } from "./sides.ts";

type Processes = Host["processes"];
type Identity = Processes["self"];
type Answer = Awaited<ReturnType<Processes["probe"]>>;
const FILE_SYSTEMS = { local: "ext4", shared: "6969", unsaid: undefined } as const;

export function ownerHost(host: Host, side: OwnerSide): Host {
  const { processes } = host;
  const self = {
    ...identityOf(processes.self, side, "owner"),
    host: side.host === "same" ? "here" : "there",
  };
  return withSide(host, side, {
    self,
    listen: async (path, onMessage) => (side.listens ? await processes.listen(path, onMessage) : undefined),
  });
}

/** `owner`: whom it asks about. */
export function askerHost(host: Host, side: AskerSide, owner: OwnerSide, place: Place): Host {
  const { processes } = host;
  const self = { ...identityOf(processes.self, side, "asker"), host: "here" };
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
      const running = await processes.isRunning({
        ...asked,
        pidNamespace: processes.self.pidNamespace,
        bootId: asked.bootId === self.bootId ? processes.self.bootId : undefined,
      });
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

/** As an earlier version judged: whoever has another boot id is dead, and is not asked. */
export function withoutAsking(host: Host, owner: OwnerSide, asker: AskerSide): Host {
  const { processes } = host;
  const isSameBoot = owner.bootId === "visible" && asker.bootId === "visible";
  const probe = async (path: string): Promise<Answer> =>
    isSameBoot ? await processes.probe(path) : "refused";
  return altered(host, { processes: altered(processes, { probe }) });
}
