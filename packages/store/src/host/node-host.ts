/** The real host: Node's file system, clock and processes. Sockets are in local-socket.ts. */

import { randomFillSync } from "node:crypto";
import { constants, promises as fs, readFileSync, readlinkSync, type Stats } from "node:fs";
import { hostname } from "node:os";
import { errorCode } from "./io-error.ts";
import { listenAt, tellAt } from "./local-socket.ts";
import type { FileStat, FileSystem, Host, OpenFile, OpenMode, Processes, ProcessIdentity } from "./host.ts";

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
    const { self } = processes;
    const isSameBoot = identity.bootId !== undefined && identity.bootId === self.bootId;
    if (!isSameBoot && identity.host !== self.host) return Promise.resolve("unknown");
    if (!isSameBoot && identity.bootId !== self.bootId) return Promise.resolve("gone");
    if (identity.pidNamespace !== self.pidNamespace) return Promise.resolve("unknown");
    return Promise.resolve(isSameProcess(identity) ? "running" : "gone");
  },
};

let ownIdentity: ProcessIdentity | undefined;

function describeSelf(): ProcessIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    startTime: startTimeOf(process.pid),
    bootId: readOptional(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()),
    pidNamespace: readOptional(() => readlinkSync("/proc/self/ns/pid")),
  };
}

function isSameProcess(identity: ProcessIdentity): boolean {
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    if (errorCode(error) === "ESRCH") return false;
  }
  const startTime = startTimeOf(identity.pid);
  return startTime === undefined || identity.startTime === undefined || startTime === identity.startTime;
}

/** Field 22 of the process's stat line; the name in field 2 may hold spaces and brackets, so count from its end. */
function startTimeOf(pid: number): string | undefined {
  const stat = readOptional(() => readFileSync(`/proc/${pid}/stat`, "latin1"));
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

/** Systems without /proc lack these facts; the protocol then proves death by the socket alone. */
function readOptional(read: () => string): string | undefined {
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
