/**
 * A host whose calls fail as planned, over any other: the real one, or one of a simulated machine, whose disk is then
 * told of failed syncs. Every call that touches the disk counts, those on open files too.
 */

import type { FileStat, FileSystem, Host, OpenFile, OpenMode, Processes } from "../host/host.ts";
import { appliesTo, type Fault, type FaultPlan } from "./fault-plan.ts";
import { OPEN_OPERATIONS, type FileOperation } from "./file-operation.ts";
import { SimulatedFile } from "./simulated-file.ts";
import { SimulatedFileSystem } from "./simulated-file-system.ts";
import { plainPath } from "./path-names.ts";
import { systemError } from "./system-error.ts";

export interface FailingHost extends Host {
  /** How many calls were made so far. */
  readonly calls: number;
  /** How many of them failed, or were short, by the plan. */
  readonly faults: number;
}

export function failingHost(host: Host, plan: FaultPlan): FailingHost {
  const gate = new FaultGate(plan);
  return {
    files: new FailingFileSystem(host.files, gate),
    processes: failingProcesses(host.processes, gate),
    now: () => host.now(),
    user: host.user,
    randomBytes: (length) => host.randomBytes(length),
    wait: async (milliseconds, background, ended) => await host.wait(milliseconds, background, ended),
    get calls() {
      return gate.calls;
    },
    get faults() {
      return gate.faults;
    },
  };
}

class FaultGate {
  calls = 0;
  faults = 0;
  readonly #plan: FaultPlan;

  constructor(plan: FaultPlan) {
    this.#plan = plan;
  }

  /** For calls that can only fail as a whole, with nothing done. */
  pass(operation: FileOperation, path: string, to?: string): void {
    const fault = this.ask(operation, path, to);
    if (fault?.kind === "error") throw systemError(fault.code, operation, path);
  }

  ask(operation: FileOperation, path: string, to?: string): Fault | undefined {
    this.calls += 1;
    const plain = { path: plainPath(path), to: to === undefined ? undefined : plainPath(to) };
    const fault = this.#plan({ number: this.calls, operation, ...plain });
    if (fault === undefined || !appliesTo(fault, operation)) return undefined;
    this.faults += 1;
    return fault;
  }
}

/** A directory is opened to be synced. Where that fails already nothing was synced, and nothing is lost. */
const OF_OPENING: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "EACCES"]);

class FailingFileSystem implements FileSystem {
  readonly #files: FileSystem;
  readonly #gate: FaultGate;

  constructor(files: FileSystem, gate: FaultGate) {
    this.#files = files;
    this.#gate = gate;
  }

  async open(path: string, mode: OpenMode): Promise<OpenFile> {
    this.#gate.pass(OPEN_OPERATIONS[mode], path);
    return new FailingFile(await this.#files.open(path, mode), path, this.#gate);
  }

  async makeDirectory(path: string): Promise<void> {
    this.#gate.pass("makeDirectory", path);
    await this.#files.makeDirectory(path);
  }

  async readDirectory(path: string): Promise<string[]> {
    this.#gate.pass("readDirectory", path);
    return await this.#files.readDirectory(path);
  }

  async syncDirectory(path: string): Promise<void> {
    const fault = this.#gate.ask("syncDirectory", path);
    if (fault === undefined) await this.#files.syncDirectory(path);
    if (fault?.kind !== "error") return;
    if (!OF_OPENING.has(fault.code)) await this.failDirectorySync(path);
    throw systemError(fault.code, "syncDirectory", path);
  }

  /** So that the disk also learns of it through two failing hosts. */
  async failDirectorySync(path: string): Promise<void> {
    const files = this.#files;
    if (files instanceof SimulatedFileSystem || files instanceof FailingFileSystem) {
      await files.failDirectorySync(path);
    }
  }

  async rename(from: string, to: string): Promise<void> {
    this.#gate.pass("rename", from, to);
    await this.#files.rename(from, to);
  }

  async link(from: string, to: string): Promise<void> {
    this.#gate.pass("link", from, to);
    await this.#files.link(from, to);
  }

  async unlink(path: string): Promise<void> {
    this.#gate.pass("unlink", path);
    await this.#files.unlink(path);
  }

  async removeDirectory(path: string): Promise<void> {
    this.#gate.pass("removeDirectory", path);
    await this.#files.removeDirectory(path);
  }

  async checkWritable(path: string): Promise<void> {
    this.#gate.pass("checkWritable", path);
    await this.#files.checkWritable(path);
  }

  async typeAt(path: string): Promise<string | undefined> {
    return await this.#files.typeAt(path);
  }

  async stat(path: string): Promise<FileStat | undefined> {
    this.#gate.pass("stat", path);
    return await this.#files.stat(path);
  }

  async resolve(path: string): Promise<string> {
    this.#gate.pass("resolve", path);
    return await this.#files.resolve(path);
  }
}

class FailingFile implements OpenFile {
  readonly #file: OpenFile;
  readonly #path: string;
  readonly #gate: FaultGate;

  constructor(file: OpenFile, path: string, gate: FaultGate) {
    this.#file = file;
    this.#path = path;
    this.#gate = gate;
  }

  async read(into: Buffer, position: number): Promise<number> {
    this.#gate.pass("read", this.#path);
    return await this.#file.read(into, position);
  }

  async write(bytes: Buffer, position: number): Promise<number> {
    const fault = this.#gate.ask("write", this.#path);
    if (fault?.kind === "error") throw systemError(fault.code, "write", this.#path);
    if (fault?.kind !== "short") return await this.#file.write(bytes, position);
    const length = Math.max(0, Math.min(fault.bytes, bytes.length - 1));
    return await this.#file.write(bytes.subarray(0, length), position);
  }

  async truncate(length: number): Promise<void> {
    this.#gate.pass("truncate", this.#path);
    await this.#file.truncate(length);
  }

  async sync(): Promise<void> {
    const fault = this.#gate.ask("sync", this.#path);
    if (fault === undefined) await this.#file.sync();
    if (fault?.kind !== "error") return;
    await this.failSync();
    throw systemError(fault.code, "sync", this.#path);
  }

  async failSync(): Promise<void> {
    const file = this.#file;
    if (file instanceof SimulatedFile || file instanceof FailingFile) await file.failSync();
  }

  async stat(): Promise<FileStat> {
    this.#gate.pass("stat", this.#path);
    return await this.#file.stat();
  }

  async makePrivate(): Promise<void> {
    this.#gate.pass("makePrivate", this.#path);
    await this.#file.makePrivate();
  }

  /** A close that fails has closed: the descriptor is gone either way. */
  async close(): Promise<void> {
    const fault = this.#gate.ask("close", this.#path);
    await this.#file.close();
    if (fault?.kind === "error") throw systemError(fault.code, "close", this.#path);
  }
}

function failingProcesses(processes: Processes, gate: FaultGate): Processes {
  return {
    get self() {
      return processes.self;
    },
    async listen(path, onMessage) {
      gate.pass("listen", path);
      return await processes.listen(path, onMessage);
    },
    probe: (path) => processes.probe(path),
    tell: (path, text) => processes.tell(path, text),
    find: (pid) => processes.find(pid),
  };
}
