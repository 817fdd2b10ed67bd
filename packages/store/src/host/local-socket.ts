/**
 * Unix sockets of the real host. One that listens proves that its process lives: the kernel refuses connections from the
 * moment the process, or the thread, is gone; one that is merely stopped still accepts them.
 */

import { promises as fs } from "node:fs";
import type { Server, Socket } from "node:net";
import { errorCode } from "./io-error.ts";
import { lazy } from "../lazy.ts";
import { MAX_MESSAGE_BYTES, type Presence } from "./host.ts";

const loadNet = lazy(async () => await import("node:net"));

const SOCKET_MODE = 0o600;

/** The address of a Unix socket has 108 bytes on Linux, 104 on macOS; a longer path would be cut in silence. */
const MAX_SOCKET_PATH = 103;

/** Some file systems have no sockets. */
const NO_SOCKETS_HERE: ReadonlySet<string> = new Set(["EOPNOTSUPP", "ENOTSUP", "EPERM", "EINVAL"]);

/** Who connects and says nothing for so long is sent away. */
const MAX_SILENCE = 1000;
/** Somebody may tidy the socket away in the moment before it listens; so often in a row is not believable. */
const ATTEMPTS = 5;

export async function listenAt(
  path: string,
  onMessage: (text: string) => void = () => undefined,
): Promise<Presence | undefined> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) return undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await listenOnce(path, onMessage);
    } catch (error) {
      if (NO_SOCKETS_HERE.has(errorCode(error) ?? "")) return undefined;
      if (errorCode(error) !== "ENOENT" || attempt === ATTEMPTS) throw error;
    }
  }
}

export async function tellAt(
  path: string,
  text: string | undefined,
): Promise<"told" | "refused" | "absent" | "unknown"> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) return "absent";
  const { connect } = await loadNet();
  return await new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      resolve("told");
      if (text === undefined) socket.destroy();
      // A stopped process accepts and reads nothing; the line is in the kernel's hands then.
      else socket.end(`${text}\n`, () => socket.destroy());
    });
    socket.on("error", (error) => {
      const code = errorCode(error);
      resolve(code === "ECONNREFUSED" ? "refused" : code === "ENOENT" ? "absent" : "unknown");
    });
  });
}

/**
 * Under another name first: whatever closes the server, the end of its thread too, removes the name it was bound to. The
 * socket must stay, and refuse.
 */
async function listenOnce(path: string, onMessage: (text: string) => void): Promise<Presence> {
  await failIfThere(path);
  const bound = `${path.slice(0, -1)}~`;
  const connections = new Set<Socket>();
  const { createServer } = await loadNet();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.once("close", () => connections.delete(socket));
    receiveLine(socket, onMessage);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // Exclusive: a worker of a cluster would let its primary listen, which lives and dies by itself.
    server.listen({ path: bound, exclusive: true }, resolve);
  });
  server.unref();
  try {
    await fs.chmod(bound, SOCKET_MODE);
    await fs.rename(bound, path);
  } catch (error) {
    await closeServer(server, connections);
    throw error;
  }
  const close = async (): Promise<void> => {
    await closeServer(server, connections);
    await fs.unlink(path).catch((error: unknown) => {
      if (errorCode(error) !== "ENOENT") throw error;
    });
  };
  return { close };
}

/** A rename would take the place of whatever is there. */
async function failIfThere(path: string): Promise<void> {
  const found = await fs.lstat(path).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (found === undefined) return;
  throw Object.assign(new Error(`EADDRINUSE: address already in use ${path}`), { code: "EADDRINUSE", path });
}

function receiveLine(socket: Socket, onMessage: (text: string) => void): void {
  let received = "";
  socket.unref();
  socket.setEncoding("utf8");
  socket.setTimeout(MAX_SILENCE, () => socket.destroy());
  // Who connects and goes at once may look like a failure; it is none of ours.
  socket.on("error", () => socket.destroy());
  socket.on("data", (piece: string) => {
    received += piece;
    const end = received.indexOf("\n");
    if (end !== -1 && end <= MAX_MESSAGE_BYTES) onMessage(received.slice(0, end));
    if (end !== -1 || received.length > MAX_MESSAGE_BYTES) socket.destroy();
  });
}

async function closeServer(server: Server, connections: ReadonlySet<Socket>): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    for (const socket of connections) socket.destroy();
  });
}
