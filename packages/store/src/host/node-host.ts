/** The real host: Node's file system, clock and processes. Sockets are in local-socket.ts. */

import { randomFillSync } from "node:crypto";
import { constants, promises as fs, readFileSync, readlinkSync, type Stats } from "node:fs";
import { hostname } from "node:os";
import { errorCode } from "./io-error.ts";
import { listenAt, tellAt } from "./local-socket.ts";
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

// O_NONBLOCK: opening a FIFO must fail, not wait for its other end. It means nothing for regular files.
const SAFE = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const FLAGS: Readonly<Record<OpenMode, number>> = {
  read: constants.O_RDONLY | SAFE,
  write: constants.O_RDWR | SAFE,
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | SAFE,
};

class NodeFile implements OpenFile {
  readonly #handle: fs.FileHandle;

  constructor(handle: fs.FileHandle) {
    this.#handle = handle;
  }

  async read(into: Buffer, position: number): Promise<number> {
    let filled = 0;
    while (filled < into.length) {
      const { bytesRead } = await this.#handle.read(into, filled, into.length - filled, position + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }

  async write(bytes: Buffer, position: number): Promise<number> {
    return (await this.#handle.write(bytes, 0, bytes.length, position)).bytesWritten;
  }

  async truncate(length: number): Promise<void> {
    await this.#handle.truncate(length);
  }

  async sync(): Promise<void> {
    await this.#handle.datasync();
  }

  async stat(): Promise<FileStat> {
    return toFileStat(await this.#handle.stat());
  }

  async makePrivate(): Promise<void> {
    await this.#handle.chmod(FILE_MODE);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

const files: FileSystem = {
  async open(path, mode) {
    const handle = await fs.open(path, FLAGS[mode], FILE_MODE);
    const file = new NodeFile(handle);
    if ((await handle.stat()).isFile()) return file;
    await file.close();
    throw Object.assign(new Error(`EINVAL: not a regular file, open '${path}'`), { code: "EINVAL", path });
  },
  makeDirectory: async (path) => {
    await fs.mkdir(path, DIRECTORY_MODE);
  },
  readDirectory: async (path) => await fs.readdir(path),
  async syncDirectory(path) {
    const handle = await fs.open(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  },
  rename: async (from, to) => await fs.rename(from, to),
  link: async (from, to) => await fs.link(from, to),
  unlink: async (path) => await fs.unlink(path),
  removeDirectory: async (path) => await fs.rmdir(path),
  async stat(path) {
    try {
      return toFileStat(await fs.lstat(path));
    } catch (error) {
      if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return undefined;
      throw error;
    }
  },
  resolve: async (path) => await fs.realpath(path),
  async typeAt(path) {
    // Other systems number theirs anew with each start.
    if (process.platform !== "linux") return undefined;
    const found = await fs.statfs(path).catch(() => undefined);
    return found === undefined ? undefined : (LINUX_TYPES[found.type] ?? found.type.toString(16));
  },
};

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

function toFileStat(stats: Stats): FileStat {
  return {
    kind: stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other",
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

  isRunning(identity) {
    const { pidNamespace } = processes.self;
    const isKnown = pidNamespace !== undefined && identity.pidNamespace === pidNamespace;
    return Promise.resolve(isKnown ? stateOf(identity) : "unknown");
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
    bootId: readOptional(() => BOOT_ID.exec(readFileSync("/proc/sys/kernel/random/boot_id", "utf8"))?.[0]),
    pidNamespace: process.platform === MACOS ? MACOS : readOptional(() => readlinkSync("/proc/self/ns/pid")),
  };
}

function stateOf(identity: ProcessIdentity): "running" | "gone" | "unknown" {
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if (errorCode(error) === "ESRCH") return "gone";
  }
  const startTime = startTimeOf(identity.pid);
  if (startTime === undefined || identity.startTime === undefined) return "unknown";
  if (startTime !== identity.startTime) return "gone";
  // Another boot may have given the same pid at the same time after its start.
  return identity.bootId !== undefined && identity.bootId === processes.self.bootId ? "running" : "unknown";
}

/** Field 22 of the process's stat line; the name in field 2 may hold spaces and brackets, so count from its end. */
function startTimeOf(pid: number): string | undefined {
  const stat = readOptional(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
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
