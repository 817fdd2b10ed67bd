/** A simulated process that can be stopped: its calls and its messages wait, and its socket still accepts connections. */

import type { FileSystem, Host, OpenFile } from "@longhand/store/testing";
import { altered } from "../altered-host.ts";

export class Stop {
  #stopped: Promise<void> | undefined;
  #resume: () => void = () => undefined;

  stop(): void {
    this.#stopped ??= new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#stopped = undefined;
    this.#resume();
  }

  /** At once, or as soon as it is resumed. */
  whenRunning(act: () => void): void {
    if (this.#stopped === undefined) act();
    else void this.#stopped.then(act);
  }

  stoppable(host: Host): Host {
    const { files } = host;
    const open: FileSystem["open"] = async (path, mode) => {
      await this.#stopped;
      return this.#waiting<OpenFile>(await files.open(path, mode), {});
    };
    const wait: Host["wait"] = async (milliseconds, background) => {
      await host.wait(milliseconds, background);
      await this.#stopped;
    };
    return altered(host, { files: this.#waiting<FileSystem>(files, { open }), wait });
  }

  /** Each call waits until it is resumed; `given`: what is not passed on. */
  #waiting<T extends object>(target: T, given: Partial<T>): T {
    return new Proxy(target, {
      get: (_, name): unknown => {
        if (name in given) return Reflect.get(given, name);
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...args: readonly unknown[]): Promise<unknown> => {
          await this.#stopped;
          return await (Reflect.apply(method, target, args) as unknown);
        };
      },
    });
  }
}
