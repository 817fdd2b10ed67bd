/** Who else is there: the other processes of a simulated machine, as one of them sees them. */

import {
  MAX_MESSAGE_BYTES,
  type FoundProcess,
  type Presence,
  type Processes,
  type ProcessIdentity,
} from "../host/host.ts";
import { errorCode } from "../host/io-error.ts";
import type { SocketListener } from "./simulated-kernel.ts";
import type { SimulatedProcess } from "./simulated-process.ts";
import { systemError } from "./system-error.ts";

const HOST_NAME = "simulated";
const PID_NAMESPACE = "pid:[1]";
/** As on the real host: a longer path does not fit into the address of a Unix socket. */
const MAX_SOCKET_PATH = 103;

export class SimulatedProcesses implements Processes {
  readonly self: ProcessIdentity;
  readonly #process: SimulatedProcess;

  constructor(process: SimulatedProcess) {
    this.#process = process;
    this.self = {
      pid: process.pid,
      host: HOST_NAME,
      startTime: process.kernel.running.get(process.pid),
      bootId: `boot-${process.kernel.boot}`,
      pidNamespace: PID_NAMESPACE,
    };
  }

  listen(path: string, onMessage: (text: string) => void = () => undefined): Promise<Presence | undefined> {
    return this.#process.perform("listen", path, () => {
      if (Buffer.byteLength(path) > MAX_SOCKET_PATH) return undefined;
      const { disk, listeners, clock } = this.#process.kernel;
      const socket = createSocket(() => disk.createSocket(path, clock), path);
      listeners.set(socket, { pid: this.#process.pid, onMessage });
      return { close: () => this.#stopListening(socket, path) };
    });
  }

  async probe(path: string): Promise<"listening" | "refused" | "absent" | "unknown"> {
    const found = await this.#connect(path);
    return typeof found === "string" ? found : "listening";
  }

  /** The listener gets the line before the teller goes on. */
  async tell(path: string, text: string): Promise<"told" | "refused" | "absent" | "unknown"> {
    const found = await this.#connect(path);
    if (typeof found === "string") return found;
    if (Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) found.onMessage(text);
    return "told";
  }

  find(pid: number): Promise<FoundProcess | "none"> {
    return this.#process.askKernel(() => {
      const startTime = this.#process.kernel.running.get(pid);
      return startTime === undefined ? "none" : { startTime };
    });
  }

  #connect(path: string): Promise<SocketListener | "refused" | "absent" | "unknown"> {
    return this.#process.askKernel(() => {
      if (Buffer.byteLength(path) > MAX_SOCKET_PATH) return "absent";
      const { disk, listeners } = this.#process.kernel;
      try {
        const inode = disk.find(path, "connect");
        if (inode === undefined) return "absent";
        return listeners.get(inode) ?? "refused";
      } catch {
        return "unknown";
      }
    });
  }

  /** As Node does it: whatever has the path goes, even if it is no longer this socket. */
  #stopListening(socket: number, path: string): Promise<void> {
    return this.#process.perform("unlink", path, () => {
      const { disk, listeners } = this.#process.kernel;
      listeners.delete(socket);
      if (disk.find(path, "unlink") !== undefined) disk.unlink(path);
    });
  }
}

/** Node says EACCES where the directory is missing. */
function createSocket(create: () => number, path: string): number {
  try {
    return create();
  } catch (error) {
    throw errorCode(error) === "ENOENT" ? systemError("EACCES", "listen", path) : error;
  }
}
