/** The rule of liveness as a table: what both sides know, what was answered, and what follows. */

import { describe, expect, test } from "vitest";
import type { FoundProcess, ProcessIdentity } from "../../src/host/host.ts";
import { conclude, type Answers, type Liveness, type Question } from "../../src/lease/liveness-rule.ts";
import type { InstanceDescription } from "../../src/wal/instance-description.ts";
import { toId } from "../../src/format/session-id.ts";

const ASKER: ProcessIdentity = {
  ...{ pid: 7, host: "here", startTime: "70", bootId: "boot" },
  ...{ pidNamespace: "pid:[1]", timeNamespace: "time:[1]" },
};
const OWNER: InstanceDescription = {
  ...{ ...ASKER, pid: 8, startTime: "80", listens: true, fileSystem: "ext4" },
  ...{ instance: toId("01M7GANKT8040G2081040G2081"), since: "2026-01-01T00:00:00.000Z" },
};

interface Case {
  readonly owner?: Partial<InstanceDescription>;
  readonly self?: Partial<ProcessIdentity>;
  readonly mark?: boolean;
  readonly socket?: NonNullable<Answers["socket"]>;
  /** As the asker sees it. @default ext4 */
  readonly fileSystem?: string | undefined;
  /** @default the owner's process */
  readonly process?: FoundProcess | "none";
  readonly isUnknown?: boolean;
}

function verdictOf(given: Case): Liveness | Question {
  const owner = given.isUnknown === true ? undefined : { ...OWNER, ...given.owner };
  return conclude(
    { owner, self: { ...ASKER, ...given.self } },
    {
      mark: given.mark ?? false,
      socket: given.socket ?? "absent",
      fileSystem: { type: "fileSystem" in given ? given.fileSystem : "ext4" },
      process: given.process ?? { startTime: "80" },
    },
  );
}

const OTHER_BOOT = { bootId: "another" };
const EARLIER = { fileSystem: undefined };

const TABLE: readonly (readonly [string, Liveness, Case])[] = [
  ["it has given itself up, whatever else answers", "dead", { mark: true, socket: "listening" }],
  ["its socket accepts, whatever the pid says", "alive", { socket: "listening", process: "none" }],
  [
    "its socket accepts, though nothing else is shared",
    "alive",
    { socket: "listening", self: OTHER_BOOT, fileSystem: "nfs" },
  ],
  ["its socket refuses, same boot and same view", "dead", { socket: "refused" }],
  [
    "its socket refuses, same boot, seen through another file system",
    "alive",
    { socket: "refused", fileSystem: "fuse" },
  ],
  [
    "its socket refuses, another boot, one kernel's file system",
    "dead",
    { socket: "refused", self: OTHER_BOOT },
  ],
  [
    "its socket refuses, no boot id, one kernel's file system",
    "dead",
    { socket: "refused", self: { bootId: undefined } },
  ],
  [
    "its socket refuses, another boot, a network file system",
    "unproven",
    { socket: "refused", self: OTHER_BOOT, owner: { fileSystem: "nfs" }, fileSystem: "nfs" },
  ],
  [
    "its socket refuses, no boot id on either side, a network file system",
    "unproven",
    {
      socket: "refused",
      self: { bootId: undefined },
      owner: { bootId: undefined, fileSystem: "nfs" },
      fileSystem: "nfs",
    },
  ],
  [
    "its socket refuses, another boot, the file system cannot be told",
    "unproven",
    { socket: "refused", self: OTHER_BOOT, fileSystem: undefined },
  ],
  [
    "an earlier version of the same host name, one kernel's file system",
    "dead",
    { socket: "refused", self: OTHER_BOOT, owner: EARLIER },
  ],
  [
    "an earlier version of another host name",
    "unproven",
    { socket: "refused", self: { ...OTHER_BOOT, host: "there" }, owner: EARLIER },
  ],
  [
    "a Mac of the same name",
    "dead",
    {
      socket: "refused",
      self: { pidNamespace: "darwin", bootId: undefined },
      owner: { pidNamespace: "darwin", bootId: undefined, fileSystem: undefined },
      fileSystem: undefined,
    },
  ],
  [
    "a Mac of another name",
    "unproven",
    {
      socket: "refused",
      self: { pidNamespace: "darwin", bootId: undefined, host: "there" },
      owner: { pidNamespace: "darwin", bootId: undefined, fileSystem: undefined },
      fileSystem: undefined,
    },
  ],
  ["no socket, and no process has its pid", "dead", { process: "none" }],
  ["it may not be asked, and no process has its pid", "dead", { socket: "unknown", process: "none" }],
  [
    "it does not listen: the answer of a socket of that name is not its own",
    "dead",
    { owner: { listens: false }, socket: "listening", process: "none" },
  ],
  [
    "no process has its pid, in another pid namespace",
    "unproven",
    { process: "none", owner: { pidNamespace: "pid:[2]" } },
  ],
  [
    "no process has its pid, and neither side knows its pid namespace",
    "unproven",
    { process: "none", owner: { pidNamespace: undefined }, self: { pidNamespace: undefined } },
  ],
  ["its process runs", "alive", {}],
  ["a process with its pid that started at another time", "dead", { process: { startTime: "81" } }],
  [
    "a process with its pid that started at another time, in another time namespace",
    "unproven",
    { process: { startTime: "81" }, owner: { timeNamespace: "time:[2]" } },
  ],
  [
    "a process with its pid that started at another time, of a version that does not say in which time namespace",
    "unproven",
    { process: { startTime: "81" }, owner: { timeNamespace: undefined } },
  ],
  [
    "a process with its pid that started at the same time, in another time namespace",
    "unproven",
    { owner: { timeNamespace: "time:[2]" } },
  ],
  [
    "a process with its pid, whose start time cannot be seen",
    "unproven",
    { process: { startTime: undefined } },
  ],
  [
    "a process with its pid, and it did not know its start time",
    "unproven",
    { owner: { startTime: undefined } },
  ],
  ["the same pid and start time after another boot", "unproven", { self: OTHER_BOOT }],
  ["its pid is the asker's own, of an earlier boot", "dead", { owner: { pid: 7 }, self: OTHER_BOOT }],
  [
    "its pid is the asker's own, and a boot id is hidden",
    "unproven",
    { owner: { pid: 7 }, self: { bootId: undefined } },
  ],
  [
    "its pid is the asker's own, of another pid namespace",
    "unproven",
    { owner: { pid: 7, pidNamespace: "pid:[2]" }, self: OTHER_BOOT },
  ],
  ["unknown: its socket refuses on one kernel's file system", "dead", { isUnknown: true, socket: "refused" }],
  [
    "unknown: its socket refuses on a network file system",
    "unproven",
    { isUnknown: true, socket: "refused", fileSystem: "nfs" },
  ],
  ["unknown: its socket is not there", "unproven", { isUnknown: true }],
];

test.each(TABLE)("%s: %s", (_, expected, given) => {
  expect(verdictOf(given)).toBe(expected);
});

describe("what is asked", () => {
  const parties = { owner: OWNER, self: ASKER };

  test("comes in this order, and nothing is asked that is not needed", () => {
    expect(conclude(parties, {})).toBe("mark");
    expect(conclude(parties, { mark: false })).toBe("socket");
    expect(conclude(parties, { mark: false, socket: "absent" })).toBe("fileSystem");
    const answers = { mark: false, socket: "absent", fileSystem: { type: "ext4" } } as const;
    expect(conclude(parties, answers)).toEqual({ pid: 8 });
  });

  test("no socket of an instance that does not listen, no process of one that is unknown", () => {
    const silent = { owner: { ...OWNER, listens: false }, self: ASKER };
    expect(conclude(silent, { mark: false })).toBe("fileSystem");
    const unknown = { owner: undefined, self: ASKER };
    expect(conclude(unknown, { mark: false, socket: "unknown", fileSystem: { type: "ext4" } })).toBe(
      "unproven",
    );
  });
});
