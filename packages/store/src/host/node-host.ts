/** The real host: Node's file system, clock and processes. Sockets are in local-socket.ts. */

import { randomFillSync } from "node:crypto";
import * as fs from "node:fs";
import { hostname } from "node:os";
import { afterDueTurn } from "./event-loop-turns.ts";
import { errorCode } from "./io-error.ts";
import { listenAt, tellAt } from "./local-socket.ts";
import { WriteThrough } from "./write-through.ts";
import {
  type FileStat,
  type FileSystem,
  type Host,
  MACOS,
  type OpenFile,
  type OpenMode,
  type Processes,
  type ProcessIdentity,
} from "./host.ts";

const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_CREAT, O_EXCL, O_DSYNC, O_DIRECTORY } = fs.constants;
const { S_IFMT, S_IFREG, S_IFDIR } = fs.constants;
// O_NONBLOCK: opening a FIFO must fail, not wait for its other end. It means nothing for regular files.
const SAFE = O_NOFOLLOW | O_NONBLOCK;
/** Not there on every system: then a journal is written and synced in two calls. */
const HAS_DSYNC = (O_DSYNC as number | undefined) !== undefined;

const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: O_RDONLY | SAFE,
  write: O_RDWR | SAFE,
  create: O_RDWR | O_CREAT | O_EXCL | SAFE,
  journal: O_RDWR | SAFE | (HAS_DSYNC ? O_DSYNC : 0),
};

/** Calls that the kernel answers from memory run on the main thread: a hop to the thread pool costs more than they do. */
class NodeFile implements OpenFile {
  /** `undefined`: it is closed. */
  #open: number | undefined;
  /** For a journal. */
  readonly #writeThrough: WriteThrough | undefined;
  /** Calls in the thread pool: the descriptor is closed after them, or its number could be another file's by then. */
  readonly #inPool = new Set<Promise<unknown>>();

  constructor(descriptor: number, mode: OpenMode) {
    this.#open = descriptor;
    this.#writeThrough = mode === "journal" && HAS_DSYNC ? new WriteThrough(descriptor) : undefined;
  }

  read(into: Buffer, position: number): number | Promise<number> {
    let filled = 0;
    while (filled < into.length) {
      const count = fs.readSync(this.#descriptor, into, filled, into.length - filled, position + filled);
      if (count === 0) break;
      filled += count;
    }
    return afterDueTurn(filled);
  }

  write(bytes: Buffer, position: number): number | Promise<number> {
    const descriptor = this.#descriptor;
    if (this.#writeThrough === undefined)
      return afterDueTurn(fs.writeSync(descriptor, bytes, 0, bytes.length, position));
    const written = this.#writeThrough.write(bytes, position);
    return typeof written === "number" ? afterDueTurn(written) : this.#noteInPool(written);
  }

  truncate(length: number): void {
    fs.ftruncateSync(this.#descriptor, length);
  }

  /** In the thread pool: it may take as long as the disk likes. */
  sync(): void | Promise<void> {
    // Each write has been synced by itself.
    if (this.#writeThrough !== undefined) return undefined;
    const descriptor = this.#descriptor;
    return this.#noteInPool(
      new Promise<void>((resolve, reject) => {
        fs.fdatasync(descriptor, (error) => {
          if (error === null) resolve();
          else reject(error);
        });
      }),
    );
  }

  stat(): FileStat {
    return toFileStat(fs.fstatSync(this.#descriptor));
  }

  makePrivate(): void {
    fs.fchmodSync(this.#descriptor, FILE_MODE);
  }

  /** A second time does nothing. */
  close(): void | Promise<void> {
    const descriptor = this.#open;
    if (descriptor === undefined) return undefined;
    this.#open = undefined;
    if (this.#inPool.size === 0) {
      fs.closeSync(descriptor);
      return undefined;
    }
    return Promise.allSettled(this.#inPool).then(() => fs.closeSync(descriptor));
  }

  get #descriptor(): number {
    if (this.#open === undefined)
      throw Object.assign(new Error("EBADF: the file is closed"), { code: "EBADF" });
    return this.#open;
  }

  #noteInPool<T>(call: Promise<T>): Promise<T> {
    const noted = call.finally(() => this.#inPool.delete(noted));
    this.#inPool.add(noted);
    return noted;
  }
}

const files: FileSystem = {
  open(path, mode) {
    const descriptor = fs.openSync(path, FLAGS[mode], FILE_MODE);
    if (fs.fstatSync(descriptor).isFile()) return afterDueTurn(new NodeFile(descriptor, mode));
    fs.closeSync(descriptor);
    throw Object.assign(new Error(`EINVAL: not a regular file, open '${path}'`), { code: "EINVAL", path });
  },
  makeDirectory: (path) => {
    fs.mkdirSync(path, DIRECTORY_MODE);
  },
  readDirectory: (path) => afterDueTurn(fs.readdirSync(path)),
  /** Only the sync itself is in the thread pool. */
  async syncDirectory(path) {
    const descriptor = fs.openSync(path, O_RDONLY | O_DIRECTORY);
    try {
      await new Promise<void>((resolve, reject) => {
        fs.fsync(descriptor, (error) => {
          if (error === null) resolve();
          else reject(error);
        });
      });
    } finally {
      fs.closeSync(descriptor);
    }
  },
  rename: (from, to) => {
    fs.renameSync(from, to);
  },
  link: (from, to) => {
    fs.linkSync(from, to);
  },
  unlink: (path) => {
    fs.unlinkSync(path);
  },
  removeDirectory: (path) => {
    fs.rmdirSync(path);
  },
  stat(path) {
    try {
      const stats = fs.lstatSync(path, { throwIfNoEntry: false });
      return stats === undefined ? undefined : toFileStat(stats);
    } catch (error) {
      if (errorCode(error) === "ENOTDIR") return undefined;
      throw error;
    }
  },
  resolve: (path) => fs.realpathSync(path),
  checkWritable: (path) => {
    fs.accessSync(path, fs.constants.W_OK | fs.constants.X_OK);
  },
  typeAt(path) {
    // Other systems number theirs anew with each start.
    if (process.platform !== "linux") return undefined;
    const type = typeOf(path);
    return type === undefined ? undefined : (LINUX_TYPES[type] ?? type.toString(16));
  },
};

function typeOf(path: string): number | undefined {
  try {
    return fs.statfsSync(path).type;
  } catch {
    return undefined;
  }
}

/** As statfs(2) numbers those that are in LOCAL_FILE_SYSTEMS. */
const LINUX_TYPES: Readonly<Record<number, string>> = {
  0xef53: "ext4",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0x01021994: "tmpfs",
  0x794c7630: "overlay",
  0x2fc12fc1: "zfs",
  0xf2f52010: "f2fs",
  0xca451a4e: "bcachefs",
  0x3153464a: "jfs",
  0x52654973: "reiserfs",
  0x858458f6: "ramfs",
};

function toFileStat(stats: fs.Stats): FileStat {
  const type = stats.mode & S_IFMT;
  return {
    kind: type === S_IFREG ? "file" : type === S_IFDIR ? "directory" : "other",
    size: stats.size,
    modified: stats.mtimeMs,
    changed: stats.ctimeMs,
    mode: stats.mode & 0o7777,
    owner: stats.uid,
    device: stats.dev,
    inode: stats.ino,
    links: stats.nlink,
  };
}

const processes: Processes = {
  get self(): ProcessIdentity {
    return (ownIdentity ??= describeSelf());
  },
  listen: listenAt,
  async probe(path) {
    const answer = await tellAt(path, undefined);
    return answer === "told" ? "listening" : answer;
  },
  tell: tellAt,

  find(pid) {
    return Promise.resolve(isThere(pid) ? { startTime: startTimeOf(pid) } : "none");
  },
};

let ownIdentity: ProcessIdentity | undefined;

/** A container may hide it behind an empty file. */
const BOOT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\n?$)/;

function describeSelf(): ProcessIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    startTime: startTimeOf(process.pid),
    bootId: readOptional(() => BOOT_ID.exec(fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))?.[0]),
    pidNamespace:
      process.platform === MACOS ? MACOS : readOptional(() => fs.readlinkSync("/proc/self/ns/pid")),
    timeNamespace: readOptional(() => fs.readlinkSync("/proc/self/ns/time")),
  };
}

/** Also if it may not be sent a signal. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

/**
 * Field 22 of the process's stat line; the name in field 2 may hold spaces and brackets, so count from its end.
 * `undefined` too if /proc is that of another pid namespace: by this pid it names another process.
 */
function startTimeOf(pid: number): string | undefined {
  if (!seesOwnProc()) return undefined;
  const stat = readOptional(() => fs.readFileSync(`/proc/${pid}/stat`, "latin1"));
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

/** /proc shows this process by one pid for each namespace, from that of /proc on: only one means that they are the same. */
function seesOwnProc(): boolean {
  const status = readOptional(() => fs.readFileSync("/proc/self/status", "latin1"));
  return /^NSpid:\t([0-9]+)$/m.exec(status ?? "")?.[1] === String(process.pid);
}

/** Systems without /proc lack these facts, and a container may hide them. */
function readOptional(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

async function wait(milliseconds: number, background?: "background", ended?: AbortSignal): Promise<void> {
  if (ended?.aborted === true) return;
  if (milliseconds === 0) {
    // A timer costs more, and waits for a millisecond.
    await new Promise((resolve) => setImmediate(resolve));
    return;
  }
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      ended?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    if (background !== undefined) timer.unref();
    ended?.addEventListener("abort", end);
  });
}

export const nodeHost: Host = {
  files,
  processes,
  user: process.geteuid?.(),
  now: () => Date.now(),
  randomBytes: (length) => randomFillSync(new Uint8Array(length)),
  wait,
};
