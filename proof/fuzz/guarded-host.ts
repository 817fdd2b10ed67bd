/**
 * A host that keeps an eye on whoever uses it: how many calls it makes, how much it wants to read at once, and where. A
 * reader that goes round in circles, makes room for as much as a file says instead of what is there, or follows a path that
 * a file made up, is stopped and named.
 */

import { posix } from "node:path";
import type { FileSystem, Host, OpenFile } from "@longhand/store/testing";
import { Violation } from "../part.ts";

/** A writer changes names through a directory of its own, and out of it again: no other path may have dots in it. */
const GATE = /\/\.longhand\/journal\/[0-9A-Z]{26}\.gate\/\.\.\/\.\.\/\.\.(?=\/)/u;

export interface GuardLimits {
  readonly calls: number;
  /** Of one read, beyond the size of its file. */
  readonly bytes: number;
  /** Nothing outside of it is asked for. Its parents may be looked at. @default any path may be used */
  readonly directory?: string;
}

export interface GuardedHost {
  readonly host: Host;
  /** Throws what was seen, whatever became of it on the way. */
  check(): void;
  readonly calls: number;
}

export function guardHost(host: Host, limits: GuardLimits): GuardedHost {
  const guard = new Guard(limits);
  return {
    host: {
      files: guardedFiles(host.files, guard),
      processes: host.processes,
      user: host.user,
      now: () => host.now(),
      randomBytes: (length) => host.randomBytes(length),
      wait: async (milliseconds, background) => {
        guard.call("wait");
        await host.wait(milliseconds, background);
      },
    },
    check: () => {
      if (guard.problem !== undefined) throw guard.problem;
    },
    get calls() {
      return guard.calls;
    },
  };
}

class Guard {
  problem: Violation | undefined;
  calls = 0;
  readonly #limits: GuardLimits;

  constructor(limits: GuardLimits) {
    this.#limits = limits;
  }

  call(what: string): void {
    this.calls += 1;
    if (this.calls > this.#limits.calls)
      this.#stop(`it makes more than ${this.#limits.calls} calls, now ${what}`);
  }

  path(what: string, path: unknown): void {
    const { directory } = this.#limits;
    if (directory === undefined || typeof path !== "string") return;
    const plain = path.replace(GATE, "");
    const isPlain = posix.normalize(plain) === plain;
    const isInside = plain === directory || plain.startsWith(`${directory}/`);
    const isParent = `${directory}/`.startsWith(path === "/" ? path : `${path}/`);
    if (!isPlain || !(isInside || isParent))
      this.#stop(`it uses a path outside of the store: ${what} ${path}`);
  }

  /** So little is never more than a file has and the room beyond it: its size need not be asked. */
  isModest(wanted: number): boolean {
    return wanted <= this.#limits.bytes;
  }

  read(path: string, wanted: number, size: number): void {
    if (wanted > size + this.#limits.bytes)
      this.#stop(`it makes room for ${wanted} bytes of ${path}, which has ${size}`);
  }

  #stop(reason: string): never {
    this.problem ??= new Violation(reason);
    throw this.problem;
  }
}

function guardedFiles(files: FileSystem, guard: Guard): FileSystem {
  return new Proxy(files, {
    get: (target, name: keyof FileSystem) => {
      if (name !== "open") {
        return async (...given: never[]): Promise<unknown> => {
          guard.call(`${name} ${String(given[0])}`);
          guard.path(name, given[0]);
          if (name === "rename" || name === "link") guard.path(name, given[1]);
          return await (target[name] as (...all: never[]) => Promise<unknown>).call(target, ...given);
        };
      }
      return async (...[path, mode]: Parameters<FileSystem["open"]>): Promise<OpenFile> => {
        guard.call(`open ${path}`);
        guard.path("open", path);
        return guardedFile(await target.open(path, mode), path, guard);
      };
    },
  });
}

function guardedFile(file: OpenFile, path: string, guard: Guard): OpenFile {
  return {
    read: async (into, position) => {
      guard.call(`read ${path}`);
      if (!guard.isModest(into.length)) guard.read(path, into.length, (await file.stat()).size);
      return await file.read(into, position);
    },
    write: async (bytes, position) => {
      guard.call(`write ${path}`);
      return await file.write(bytes, position);
    },
    truncate: async (length) => await file.truncate(length),
    sync: async () => await file.sync(),
    stat: async () => {
      guard.call(`stat ${path}`);
      return await file.stat();
    },
    makePrivate: async () => await file.makePrivate(),
    close: async () => await file.close(),
  };
}
