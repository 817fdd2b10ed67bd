/** Mistakes among many writers: leases, the line, the fence, takeover. */

import { crashesOf, danger } from "./caught-by.ts";
import type { Mutant } from "./mutant.ts";

const ENVIRONMENT = { part: "environment", slice: 0 } as const;

export const LEASE_MUTANTS: readonly Mutant[] = [
  {
    name: "two-thieves-of-one-lease",
    breaks: "one writer at a time: two who find a lease free at the same moment both have it",
    file: "lease/lease-files.ts",
    edits: [
      {
        find: "      await this.#files.link(temporary, this.#path(name, epoch));\n",
        replace: "      await this.#files.rename(temporary, this.#path(name, epoch));\n",
      },
    ],
    caughtBy: danger("two adopters"),
  },
  {
    name: "living-holder-robbed",
    breaks: "one writer at a time: a lease is taken although its holder lives",
    file: "lease/leases.ts",
    edits: [
      {
        find: '        if (liveness === "ended") break;\n',
        replace: '        if (liveness === "ended" || liveness === "alive") break;\n',
      },
    ],
    caughtBy: danger("conformance"),
  },
  {
    name: "given-up-lease-used-on",
    breaks: "one writer at a time: an instance goes on with a session that it has given up",
    file: "engine/writing/held-sessions.ts",
    edits: [
      {
        find: "      // Whether it failed before or after the next number was there: it may be another instance's by now.\n      this.#heldSessions.delete(heldSession.key);\n",
        replace: "",
      },
      { find: "    await heldSession.setLog(undefined);\n    try {\n", replace: "    try {\n" },
    ],
    caughtBy: danger("the waiting line"),
  },
  {
    name: "given-up-before-landing",
    breaks: "acknowledged is durable: the next holder opens the file before the last records are in it",
    file: "engine/writing/held-sessions.ts",
    edits: [
      {
        find:
          "    if (log !== undefined) {\n      if (!(await pipeline.applier.trySettle(log))) return;\n" +
          "      if (log.unappliedBytes > 0 || log.isUnsynced) return;\n    }\n",
        replace: "",
      },
      {
        find: "    await heldSession.setLog(undefined);\n    try {\n      await heldSession.lease.giveUp();\n",
        replace:
          "    try {\n      await heldSession.lease.giveUp();\n" +
          "      if (log !== undefined) await pipeline.applier.trySettle(log);\n      await heldSession.setLog(undefined);\n",
      },
    ],
    caughtBy: danger("a file sealed while it is read"),
  },
  {
    name: "waiting-line-ignored",
    breaks: "the next waits in line: whoever looks at the right moment has the lease, however late he came",
    file: "lease/leases.ts",
    edits: [
      {
        find: "    const before = await place.before(row.tickets, deadline.waited);\n",
        replace: "    const before = await place.before(row.tickets.slice(0, 0), deadline.waited);\n",
      },
    ],
    caughtBy: danger("the waiting line"),
  },
  {
    name: "fence-checked-before-the-write",
    breaks: "acknowledged is durable: an instance that was taken over meanwhile answers all the same",
    file: "engine/writing/commit-pipeline.ts",
    edits: [
      {
        find: "    const appending = this.#instance.journal.append(batches);\n",
        replace:
          "    const appending = andThen(this.#checkFence(), () => this.#instance.journal.append(batches));\n",
      },
      {
        find: "    return andThen(appending, () => this.#checkFence());\n",
        replace: "    return appending;\n",
      },
    ],
    caughtBy: danger("taken for dead"),
  },
  {
    name: "fence-set-after-reading",
    breaks: "acknowledged is durable: an instance answers for what its adopter has not read",
    file: "engine/instance/recovery.ts",
    edits: [
      { find: "  await removeDirectoryIfThere(files, gatePath(layout, instance));\n", replace: "" },
      {
        find: "  await syncNames(files, layout);\n  if (found",
        replace:
          "  await removeDirectoryIfThere(files, gatePath(layout, instance));\n  await syncNames(files, layout);\n  if (found",
      },
    ],
    caughtBy: danger("taken for dead"),
  },
  {
    name: "unproven-taken-for-dead",
    breaks: "one writer at a time: a refused connection counts, though the listener may be on another kernel",
    file: "lease/liveness-rule.ts",
    edits: [
      {
        find: '  if (!wouldShareKernel(owner, self, fileSystem)) return "unproven";\n',
        replace: "  wouldShareKernel(owner, self, fileSystem);\n",
      },
    ],
    caughtBy: ENVIRONMENT,
  },
  {
    name: "socket-of-another-view",
    breaks:
      "one writer at a time: a refused connection counts, though the socket is seen through another file system",
    file: "lease/liveness-rule.ts",
    edits: [
      {
        find: "  return owner.fileSystem === undefined || owner.fileSystem === fileSystem;\n",
        replace: "  return owner.fileSystem !== fileSystem || owner.fileSystem === fileSystem;\n",
      },
    ],
    caughtBy: ENVIRONMENT,
  },
  {
    name: "pid-of-another-namespace",
    breaks: "one writer at a time: no process has the pid here, though the owner has it in its own namespace",
    file: "lease/liveness-rule.ts",
    edits: [
      {
        find: '  if (owner.pidNamespace === undefined || owner.pidNamespace !== self.pidNamespace) return "unproven";\n',
        replace: "",
      },
    ],
    caughtBy: ENVIRONMENT,
  },
  {
    name: "start-time-of-another-time-namespace",
    breaks:
      "one writer at a time: the owner's process counts as another, since its start time is seen shifted",
    file: "lease/liveness-rule.ts",
    edits: [{ find: '  if (owner.timeNamespace !== self.timeNamespace) return "unproven";\n', replace: "" }],
    caughtBy: ENVIRONMENT,
  },
  {
    name: "gate-left-open",
    breaks: "no silent loss: an instance that was taken over changes names that are another's by now",
    file: "engine/instance/recovery.ts",
    edits: [{ find: "  await removeDirectoryIfThere(files, gatePath(layout, instance));\n", replace: "" }],
    caughtBy: danger("taken for dead while it changes names"),
  },
  {
    name: "torn-tail-cut-in-place",
    breaks: "acknowledged is durable: an instance that was taken over cuts off what was appended since",
    file: "session/open-session.ts",
    edits: [
      {
        find: "    if (scanned.torn !== undefined) file = await cutTail(file, scanned.torn, place);\n",
        replace:
          "    if (scanned.torn !== undefined) {\n      await cutTail(file, scanned.torn, { ...place, replaceBy: async (temporary) => await place.files.unlink(temporary) });\n" +
          '      file = await place.files.open(place.path, "write");\n      await file.truncate(scanned.torn.offset);\n    }\n',
      },
    ],
    caughtBy: danger("taken for dead while it changes names"),
  },
  {
    name: "adoption-without-lock",
    breaks: "no wrong data: two take over the same dead instance, and the slower writes over what came since",
    file: "engine/instance/recovery.ts",
    edits: [
      {
        find: '    const lock = await this.#lock(dead);\n    if (typeof lock !== "number") return lock;\n',
        replace: "    const lock = 0;\n",
      },
    ],
    caughtBy: danger("two adopters"),
  },
  {
    name: "lease-before-adoption",
    breaks:
      "acknowledged is durable: leases may be lost with the power, and their holder's journal is not looked for",
    file: "engine/instance/begin-instance.ts",
    edits: [
      {
        find: "    await recovery.recoverAll(new Deadline(host, { milliseconds: lockWait }));\n",
        replace: "",
      },
    ],
    caughtBy: crashesOf("one append"),
  },
  {
    name: "journal-named-before-socket",
    breaks:
      "recovery always completes: a power loss leaves a journal without its socket, and another process has the pid",
    file: "wal/journal.ts",
    edits: [
      { find: "        await files.syncDirectory(directory);\n", replace: "" },
      {
        find: "    const { path, temporary, directory, owner, durability } = place;",
        replace: "    const { path, temporary, owner, durability } = place;",
      },
    ],
    caughtBy: crashesOf("appends, batches and ids"),
  },
];
