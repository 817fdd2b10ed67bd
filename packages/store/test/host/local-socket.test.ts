/** The sockets of the real host: what proves life and death, and carries hints. */

import { lstat, readdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { MAX_MESSAGE_BYTES } from "../../src/host/host.ts";
import { nodeHost } from "../../src/host/node-host.ts";
import { makeTemporaryDirectory, removeDirectory } from "../support/temporary-directory.ts";

const { processes } = nodeHost;
let directory: string;
let path: string;

beforeEach(async () => {
  directory = await makeTemporaryDirectory();
  path = join(directory, "x.sock");
});

afterEach(async () => {
  await removeDirectory(directory);
});

/** Sends bytes as nobody of ours would, and resolves when the other side has ended the connection. */
async function sendRaw(text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const socket = connect(path, () => socket.write(text));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
    socket.resume();
  });
}

describe("a socket", () => {
  test("is private, has one name, and goes when it is closed", async () => {
    expect(await processes.probe(path)).toBe("absent");
    const presence = await processes.listen(path);
    expect(await readdir(directory)).toEqual(["x.sock"]);
    expect((await lstat(path)).mode & 0o777).toBe(0o600);
    expect(await processes.probe(path)).toBe("listening");
    await presence?.close();
    expect(await readdir(directory)).toEqual([]);
    expect(await processes.probe(path)).toBe("absent");
  });

  test("takes nobody's place", async () => {
    await writeFile(path, "mine");
    await expect(processes.listen(path)).rejects.toMatchObject({ code: "EADDRINUSE" });
    expect(await readdir(directory)).toEqual(["x.sock"]);
    expect(await processes.probe(path)).toBe("refused");
  });

  test("hears lines, one a connection, and nothing that is too long or never ends", async () => {
    const heard: string[] = [];
    const presence = await processes.listen(path, (text) => heard.push(text));
    expect(await processes.tell(path, "wants a")).toBe("told");
    await vi.waitFor(() => expect(heard).toEqual(["wants a"]), { timeout: 60_000 });
    await sendRaw("first\nsecond\n");
    await sendRaw("x".repeat(MAX_MESSAGE_BYTES + 1));
    await sendRaw(`${"x".repeat(MAX_MESSAGE_BYTES + 1)}\n`);
    // Who says nothing is sent away, too.
    await sendRaw("");
    expect(heard).toEqual(["wants a", "first"]);
    expect(await processes.probe(path)).toBe("listening");
    await presence?.close();
  });

  test("can be closed while somebody is connected", async () => {
    const presence = await processes.listen(path);
    const silent = sendRaw("no end of line");
    await processes.probe(path);
    await presence?.close();
    await silent;
    expect(await processes.tell(path, "x")).toBe("absent");
  });

  test("is not tried where the path is too long for one", async () => {
    const long = join(directory, `${"x".repeat(100)}.sock`);
    expect(await processes.listen(long)).toBeUndefined();
    expect(await processes.probe(long)).toBe("absent");
    expect(await processes.tell(long, "x")).toBe("absent");
  });
});
