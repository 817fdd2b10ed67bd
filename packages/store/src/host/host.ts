/**
 * The world outside the store: disk, clock, chance, processes. Everything the store does to it goes through these
 * interfaces, so that crashes, failures and other processes can be simulated (testing/). The real ones are in
 * node-host.ts.
 */

/**
 * A value, or a promise of it. The real host answers at once wherever the kernel does; simulated ones answer later, so that
 * other processes can go on in between. Callers on a hot path await promises only.
 */
export type Awaitable<T> = T | Promise<T>;

export interface Host {
  readonly files: FileSystem;
  readonly processes: Processes;
  /** The number of the user that this process runs as; `undefined` where there are none. */
  readonly user: number | undefined;
  /** Milliseconds since 1970; may jump in either direction. */
  now(): number;
  randomBytes(length: number): Uint8Array;
  /**
   * Resolves after so many milliseconds, whatever the clock does meanwhile. Keeps the process alive, since somebody
   * waits for what comes next; "background" is for what nobody waits for. When `ended` aborts it resolves at once, and its
   * timer is gone.
   */
  wait(milliseconds: number, background?: "background", ended?: AbortSignal): Promise<void>;
}

export type OpenMode =
  /** Must exist; for reading. */
  | "read"
  /** Must exist; for reading and writing at any position. Never in append mode. */
  | "write"
  /** Must not exist; for reading and writing. */
  | "create"
  /** As "write", for a file whose every write is followed by a sync: the real host does both in one system call. */
  | "journal";

export interface FileStat {
  readonly kind: "file" | "directory" | "other";
  readonly size: number;
  readonly modified: number;
  /** When its names or permissions last changed; a file that was moved was changed then. */
  readonly changed: number;
  /** Permission bits, such as 0o600. */
  readonly mode: number;
  readonly owner: number;
  readonly device: number;
  readonly inode: number;
  readonly links: number;
}

/** Paths are absolute. Failures are Node's own errors, with a `code` such as ENOENT. */
export interface FileSystem {
  /** Refuses a symbolic link and anything that is not a regular file (ELOOP, EINVAL), without blocking on it. */
  open(path: string, mode: OpenMode): Awaitable<OpenFile>;
  /** With mode 0700; the parent must exist. EEXIST if it is there. */
  makeDirectory(path: string): Awaitable<void>;
  /** Names only, in no order. */
  readDirectory(path: string): Awaitable<string[]>;
  /** Makes the names in a directory durable: what was created, linked, renamed or removed there before. */
  syncDirectory(path: string): Awaitable<void>;
  /** Over whatever is at `to`, atomically. */
  rename(from: string, to: string): Awaitable<void>;
  /** EEXIST if `to` is there. */
  link(from: string, to: string): Awaitable<void>;
  unlink(path: string): Awaitable<void>;
  /** ENOTEMPTY if something is in it. */
  removeDirectory(path: string): Awaitable<void>;
  /** Of the name itself, not of what a symbolic link points to. `undefined`: there is nothing. */
  stat(path: string): Awaitable<FileStat | undefined>;
  resolve(path: string): Awaitable<string>;
  /** Fails if this process may not make or remove names in a directory, as making one would (EACCES, EROFS). Changes nothing. */
  checkWritable(path: string): Awaitable<void>;
  /**
   * The type of the file system at `path`: one of LOCAL_FILE_SYSTEMS, or a number of the system. `undefined`: it cannot be
   * told, so nothing can be concluded from it.
   */
  typeAt(path: string): Awaitable<string | undefined>;
}

/**
 * File systems that only one kernel can have mounted at a time. A process that sees a directory on one of these shares
 * its kernel with every living process that sees it there too.
 */
export const LOCAL_FILE_SYSTEMS: ReadonlySet<string> = new Set([
  ...["bcachefs", "btrfs", "ext4", "f2fs", "jfs", "overlay", "ramfs", "reiserfs", "tmpfs", "xfs", "zfs"],
]);

export interface OpenFile {
  /** Fills `into` from `position` on; fewer bytes only at the end of the file. */
  read(into: Buffer, position: number): Awaitable<number>;
  /** May write fewer bytes than asked, without an error: a full disk looks like that. See write-fully.ts. */
  write(bytes: Buffer, position: number): Awaitable<number>;
  truncate(length: number): Awaitable<void>;
  /** Data and size, not times. After a failure its writes may be lost for ever, though a second call says yes. */
  sync(): Awaitable<void>;
  stat(): Awaitable<FileStat>;
  /** Nobody but its owner may read or write it. */
  makePrivate(): Awaitable<void>;
  close(): Awaitable<void>;
}

/** What can later prove, to another process, that this one is dead. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** When the process started, in units only comparable on the same boot; tells a reused pid. */
  readonly startTime: string | undefined;
  readonly bootId: string | undefined;
  /** In which its pid means something. MACOS on macOS, which has only one. */
  readonly pidNamespace: string | undefined;
  /** In which its start time means something. Not where the system has none, nor from earlier versions. */
  readonly timeNamespace?: string | undefined;
}

/** A process that is there. */
export interface FoundProcess {
  /** As the one that asks sees it, in its time namespace. `undefined`: it cannot be seen. */
  readonly startTime: string | undefined;
}

export const MACOS = "darwin";

/** Longer messages are dropped by those who listen. */
export const MAX_MESSAGE_BYTES = 1024;

export interface Presence {
  close(): Promise<void>;
}

export interface Processes {
  readonly self: ProcessIdentity;
  /**
   * Listens on a Unix socket at `path` until closed or dead; does not keep the process alive. `onMessage` gets the lines
   * that others `tell`: anybody who may connect can send them, so they are hints, at most MAX_MESSAGE_BYTES long.
   * `undefined`: such a path cannot be listened on here (too long for a socket), the identity alone must do.
   */
  listen(path: string, onMessage?: (text: string) => void): Promise<Presence | undefined>;
  /**
   * Is a process of this kernel listening there? "refused": none does any more; "absent": there is no socket; "unknown":
   * it cannot be told.
   */
  probe(path: string): Promise<"listening" | "refused" | "absent" | "unknown">;
  /** Sends one line to whoever listens there. The same answers as `probe`; "told": it was sent, perhaps never read. */
  tell(path: string, text: string): Promise<"told" | "refused" | "absent" | "unknown">;
  /**
   * The process that has this pid now, in the pid namespace of the one that asks. Facts only: what they prove about another
   * instance is decided in lease/liveness-rule.ts.
   */
  find(pid: number): Promise<FoundProcess | "none">;
}
