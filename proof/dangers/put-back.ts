/**
 * Another program puts a version of a session's file back, before each call of a writer, or of the recovery of one that
 * was killed: an older one, or one with later lines of the same lengths; over the file, or in its place. Or it does so
 * after a commit, and the next append comes before each call that keeps the records of that commit aside. What was acknowledged is read, or kept aside and reported; two histories are never mixed; nothing of the version
 * that was put back is overwritten; and a repair puts back what fits.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { isLonghandError, jsonlBackend, openStore, type Store } from "@longhand/store";
import { SimulatedMachine, type Host } from "@longhand/store/testing";
import { beginInstance } from "../begin-instance.ts";
import { filesUnder, putFile } from "../damage/simulated-files.ts";
import { Violation } from "../part.ts";
import { interruptedHost, type HostCall } from "./interrupted-host.ts";
import { DIRECTORY, KEY, messagesIn } from "./told-writes.ts";

const FILE = `${DIRECTORY}/${KEY}.jsonl`;
const DAMAGED = `${DIRECTORY}/.longhand/damaged`;
const JOURNALS = `${DIRECTORY}/.longhand/journal/`;
const TEXTS = ["two", "thr", "for"];
const VERSIONS = { older: [], "gone on from": ["new"], "gone on from for longer": ["new", "nov"] } as const;
type Version = keyof typeof VERSIONS;
const WAYS = ["over the file", "in its place"] as const;
/** Of the event loop: more than records take to be applied or kept aside on a simulated machine. */
const TURNS_AFTER_AN_ANSWER = 200;
const CASES = [
  "a writer that is killed",
  "a writer that closes",
  "a recovery",
  "a writer that appends while it keeps records aside",
] as const;

interface Case {
  readonly during: (typeof CASES)[number];
  readonly version: Version;
  readonly way: (typeof WAYS)[number];
  /** Before which call it is put back; while records are kept aside: before which of these calls the next append comes. */
  readonly call: number;
}

/** `spoil`: what is wrong with the hosts. Answers with how many moments there were. */
export async function searchPutBacks(spoil: (host: Host) => Host = (host) => host): Promise<number> {
  const versions = await makeVersions();
  let moments = 0;
  for (const during of CASES) {
    for (const version of Object.keys(versions) as Version[]) {
      for (const way of WAYS) {
        for (let call = 1; ; call++) {
          const run = new Run({ during, version, way, call }, versions, spoil);
          if (!(await run.judge())) break;
          moments++;
        }
      }
    }
  }
  return moments;
}

type Versions = Readonly<Record<Version, Buffer>>;

/** All of the same session: a store that was closed with one record, and what becomes of it elsewhere. */
async function makeVersions(): Promise<Versions> {
  const first = new SimulatedMachine(1);
  const store = await open(first.startProcess());
  await append(store, "one");
  await store.close();
  const goneOn = async (texts: readonly string[]): Promise<Buffer> => {
    const machine = first.capture().afterKill();
    const host = machine.startProcess();
    const other = await open(host);
    for (const text of texts) await append(other, text);
    await other.close();
    const file = (await filesUnder(host, DIRECTORY)).find(({ path }) => path === FILE);
    if (file === undefined) throw new Error(`there is no ${FILE}`);
    return file.bytes;
  };
  return {
    older: await goneOn(VERSIONS.older),
    "gone on from": await goneOn(VERSIONS["gone on from"]),
    "gone on from for longer": await goneOn(VERSIONS["gone on from for longer"]),
  };
}

class Run {
  readonly #case: Case;
  readonly #versions: Versions;
  readonly #spoil: (host: Host) => Host;
  #machine = new SimulatedMachine(1);
  readonly #acknowledged: string[] = ["one"];
  readonly #reports: string[] = [];
  #isArmed = false;
  #calls = 0;
  #isMet = false;
  /** What was in the file, synced, when it was replaced: that is the other program's to answer for. */
  #isExcused = false;
  #isSynced = false;
  /** Between the look at the file and the write: only a lock that other programs heed could close that. */
  #isBetween = false;
  #hasLooked = false;
  #puttingBack: Promise<void> | undefined;
  /** The next append, for the case that appends while records are kept aside. */
  #whileKept: (() => Promise<void>) | undefined;
  #isCommitted = false;

  constructor(which: Case, versions: Versions, spoil: (host: Host) => Host) {
    this.#case = which;
    this.#versions = versions;
    this.#spoil = spoil;
  }

  /** False: there were not so many calls. */
  async judge(): Promise<boolean> {
    const { during } = this.#case;
    await putFile(this.#machine.startProcess(), FILE, this.#versions.older);
    const writer = await open(this.#host(), this.#reports);
    await beginInstance(this.#machine, writer, DIRECTORY);
    this.#isArmed = during !== "a recovery";
    if (during === "a writer that appends while it keeps records aside") {
      this.#whileKept = async () => await this.#append(writer, "thr");
      await this.#append(writer, "two");
      // Closing refuses appends: what follows the answer must be done before.
      for (let turn = 0; turn < TURNS_AFTER_AN_ANSWER; turn++) await nextTurn();
    } else for (const text of TEXTS) await this.#append(writer, text);
    await this.#puttingBack;
    this.#isArmed = false;
    if (during === "a writer that closes" || this.#whileKept !== undefined) await writer.close();
    else this.#machine = this.#machine.capture().afterKill();
    this.#isArmed = during === "a recovery";
    this.#whileKept = undefined;
    const store = await open(this.#host(), this.#reports);
    this.#isArmed = false;
    if (!this.#isMet) return false;
    await this.#judgeStore(store);
    await store.close();
    return true;
  }

  #host(): Host {
    return interruptedHost(
      this.#spoil(this.#machine.startProcess()),
      async (call) => await this.#before(call),
    );
  }

  /** Nobody else does anything meanwhile: a copy that is half done is a program's own mistake. */
  async #before({ operation, path }: HostCall): Promise<void> {
    await this.#puttingBack;
    if (!this.#isArmed) return;
    if (this.#whileKept !== undefined) {
      await this.#beforeOneThatKeeps({ operation, path }, this.#whileKept);
      return;
    }
    if (++this.#calls === this.#case.call) {
      this.#isMet = true;
      this.#isExcused = this.#isSynced;
      this.#isBetween = this.#hasLooked;
      this.#puttingBack = this.#putBack();
      await this.#puttingBack;
    }
    if (path !== FILE) return;
    if (operation === "sync") this.#isSynced = this.#case.during === "a recovery";
    this.#hasLooked = operation === "read" || (this.#hasLooked && operation === "stat");
  }

  /** Puts the version back after the first commit, before its record is applied. */
  async #beforeOneThatKeeps({ operation, path }: HostCall, appendNext: () => Promise<void>): Promise<void> {
    this.#isCommitted ||= operation === "write" && path.startsWith(JOURNALS);
    if (path === FILE && this.#isCommitted && this.#puttingBack === undefined) {
      this.#puttingBack = this.#putBack();
      await this.#puttingBack;
    }
    if (this.#puttingBack === undefined || !path.startsWith(DAMAGED)) return;
    if (++this.#calls !== this.#case.call) return;
    this.#isMet = true;
    await appendNext();
  }

  async #append(store: Store, text: string): Promise<void> {
    if (await append(store, text)) this.#acknowledged.push(text);
  }

  async #putBack(): Promise<void> {
    const host = this.#machine.startProcess();
    const bytes = this.#versions[this.#case.version];
    if (this.#case.way === "over the file") {
      await putFile(host, FILE, bytes);
      return;
    }
    await putFile(host, "/restored", bytes);
    await host.files.rename("/restored", FILE);
    await host.files.syncDirectory(DIRECTORY);
  }

  async #judgeStore(store: Store): Promise<void> {
    const { version } = this.#case;
    const read = async (): Promise<string[]> => (await messagesIn(store)).map(({ content }) => content);
    const found = await read();
    const others = ["one", ...VERSIONS[version]];
    const isOwn = found.every((text, index) => text === ["one", ...TEXTS][index]);
    const isOther = found.every((text, index) => text === [...others, ...TEXTS][index]);
    if (!isOwn && !isOther && !this.#isBetween) this.#fail(`[${found.join()}] is nobody's history`);
    if (!this.#isExcused && !this.#isBetween && !others.every((text) => found.includes(text)))
      this.#fail(`[${found.join()}]: what was put back ([${others.join()}]) was overwritten`);
    const kept = await this.#kept();
    const lacks = this.#acknowledged.filter((text) => !found.includes(text));
    const lost = lacks.filter((text) => !kept.includes(`"content":"${text}"`));
    if (lost.length > 0 && !this.#isExcused)
      this.#fail(`[${lost.join()}] was acknowledged, and is neither in [${found.join()}] nor kept`);
    const isKept = lacks.length > lost.length;
    if (isKept && this.#reports.length === 0) this.#fail(`that [${lacks.join()}] is kept was not reported`);
    const { damage } = await store.verify();
    if (isKept && damage.length === 0) this.#fail(`verify does not say that [${lacks.join()}] is kept`);
    await store.repair();
    const after = await read();
    const fits = version === "older" && !this.#isExcused && !this.#isBetween;
    if (fits && !this.#acknowledged.every((text) => after.includes(text)))
      this.#fail(`a repair leaves [${after.join()}] of [${this.#acknowledged.join()}]`);
    if (
      after.filter((text) => found.includes(text)).join() !== found.join() &&
      !(await this.#isUnmixed(found, after))
    )
      this.#fail(`a repair makes [${after.join()}] of [${found.join()}]`);
  }

  /** Two histories were mixed between a look and a write: a repair leaves the one that a journal proves, and keeps the rest. */
  async #isUnmixed(found: readonly string[], after: readonly string[]): Promise<boolean> {
    const kept = await this.#kept();
    const gone = found.filter((text) => !after.includes(text));
    const isProven = after.join() === this.#acknowledged.join();
    return this.#isBetween && isProven && gone.every((text) => kept.includes(`"content":"${text}"`));
  }

  async #kept(): Promise<string> {
    const files = await filesUnder(this.#machine.startProcess(), DIRECTORY);
    return files
      .filter(({ path }) => path.startsWith(DAMAGED))
      .map(({ bytes }) => bytes.toString())
      .join("\n");
  }

  #fail(what: string): never {
    const { during, version, way, call } = this.#case;
    throw new Violation(
      `${what}\nA version (${version}) was put ${way} before call ${call} of ${during}; acknowledged: ` +
        `[${this.#acknowledged.join()}]; told: ${this.#reports.join("; ")}\n${this.#machine.describe()}`,
    );
  }
}

async function open(host: Host, reports: string[] = []): Promise<Store> {
  return await openStore(jsonlBackend(DIRECTORY, { host }), {
    onDamage: ({ reason }) => reports.push(reason),
    onError: (error) => reports.push(error.message),
  });
}

/** False: it was refused. */
async function append(store: Store, content: string): Promise<boolean> {
  try {
    await store.session(KEY).append({ role: "user", content });
    return true;
  } catch (error) {
    if (isLonghandError(error, "SESSION_CHANGED") || isLonghandError(error, "SESSION_DAMAGED")) return false;
    throw error;
  }
}
