/** read_file, write_file, edit_file and list_dir, as a model calls them. */

import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtInTools } from "../../src/tools/built-in-tools.ts";
import { NO_SANDBOX } from "./support/commands.ts";
import { makePlace, SECRET, toolContext } from "./support/workspace.ts";

type Call = (tool: string, input: unknown) => Promise<string>;

async function makeTools(): Promise<{ workspace: string; outside: string; call: Call }> {
  const { workspace, outside } = await makePlace();
  const tools = builtInTools({ workspace, sandbox: NO_SANDBOX });
  const call: Call = async (name, input) => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const parsed = tool.parse(input);
    if ("problem" in parsed) throw new Error(parsed.problem);
    const result = await tool.run(parsed.input, toolContext());
    return typeof result === "string" ? result : result.content;
  };
  return { workspace, outside, call };
}

describe("read_file", () => {
  test("gives a small file as it is", async () => {
    const { workspace, call } = await makeTools();
    await writeFile(join(workspace, "a"), "one\ntwo\nlast");
    expect(await call("read_file", { path: "a" })).toBe("one\ntwo\nlast");
  });

  test("reads on by lines until every line was seen once", async () => {
    const { workspace, call } = await makeTools();
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1} ${"ü".repeat(index % 40)}`);
    await writeFile(join(workspace, "a"), `${lines.join("\n")}\n`);
    const seen: string[] = [];
    for (let offset: number | undefined = 1; offset !== undefined;) {
      const text = await call("read_file", { path: "a", offset });
      expect(Buffer.byteLength(text)).toBeLessThan(50_000);
      const [body = "", note = ""] = text.split(/^(?=\[)/m);
      seen.push(...body.split("\n").slice(0, -1));
      const next: string | undefined = /read on with offset (\d+)\]$/.exec(note)?.[1];
      offset = next === undefined ? undefined : Number(next);
    }
    expect(seen).toEqual(lines);
  });

  test("gives a range, and says where the file ends", async () => {
    const { workspace, call } = await makeTools();
    await writeFile(join(workspace, "a"), "one\ntwo\nthree\n");
    expect(await call("read_file", { path: "a", offset: 2, limit: 1 })).toBe(
      "two\n[lines 2 to 2; the file goes on: read on with offset 3]",
    );
    expect(await call("read_file", { path: "a", offset: 2 })).toBe(
      "two\nthree\n[lines 2 to 3, the last of the file]",
    );
    expect(await call("read_file", { path: "a", offset: 9 })).toBe(
      "[a has 3 whole lines; there is nothing from line 9 on]",
    );
  });

  test("of a line that is too long gives the beginning and the way past it", async () => {
    const { workspace, call } = await makeTools();
    await writeFile(join(workspace, "a"), `${"漢".repeat(100_000)}\nnext\n`);
    const text = await call("read_file", { path: "a" });
    expect(text).toMatch(
      /漢\n\[line 1 is longer than 48000 bytes: only its beginning is shown; read on with offset 2\]$/,
    );
    expect(text).not.toContain("\ufffd");
    expect(await call("read_file", { path: "a", offset: 2 })).toContain("next");
  });

  test("T18: says what is binary, and shows control characters", async () => {
    const { workspace, call } = await makeTools();
    await writeFile(join(workspace, "binary"), Buffer.from([1, 2, 0, 3]));
    await writeFile(join(workspace, "escapes"), "\u001b[2Jgone\n");
    await writeFile(join(workspace, "latin"), Buffer.from([0x67, 0x72, 0xfc, 0xdf, 0x65]));
    await writeFile(join(workspace, "empty"), "");
    await writeFile(join(workspace, "windows"), "\ufeffa\r\nb\r\n");
    expect(await call("read_file", { path: "binary" })).toBe(
      "[binary is a binary file of 4 bytes; it is not shown]",
    );
    expect(await call("read_file", { path: "escapes" })).toBe(
      "␛[2Jgone\n[control characters are shown as pictures or <U+…>]",
    );
    expect(await call("read_file", { path: "latin" })).toBe(
      "gr\ufffd\ufffde\n[bytes that are not UTF-8 are shown as \ufffd]",
    );
    expect(await call("read_file", { path: "empty" })).toBe("[empty is empty]");
    expect(await call("read_file", { path: "windows" })).toBe(
      "a\nb\n[the file begins with a byte-order mark; lines end with CR LF]",
    );
  });

  test("of a huge file reads no more than it shows", async () => {
    const { workspace, call } = await makeTools();
    await writeFile(join(workspace, "huge"), "text\n".repeat(20_000));
    await truncate(join(workspace, "huge"), 3 * 1024 ** 4);
    expect(await call("read_file", { path: "huge", limit: 1 })).toContain("read on with offset 2");
  });
});

describe("write_file", () => {
  test("makes a file and its directories, and replaces one whole, with its mode", async () => {
    const { workspace, call } = await makeTools();
    expect(await call("write_file", { path: "a/b/c.sh", content: "grüß" })).toBe(
      "wrote a/b/c.sh: 6 bytes, a new file",
    );
    await chmod(join(workspace, "a/b/c.sh"), 0o755);
    expect(await call("write_file", { path: "a/b/c.sh", content: "x" })).toBe(
      "wrote a/b/c.sh: 1 bytes, 6 bytes before",
    );
    expect(await readFile(join(workspace, "a/b/c.sh"), "utf8")).toBe("x");
    expect((await stat(join(workspace, "a/b/c.sh"))).mode & 0o777).toBe(0o755);
    expect(await readdir(join(workspace, "a/b"))).toEqual(["c.sh"]);
  });

  test("refuses a directory and leaves no temporary file behind", async () => {
    const { workspace, call } = await makeTools();
    await mkdir(join(workspace, "a"));
    await expect(call("write_file", { path: "a", content: "x" })).rejects.toMatchObject({
      code: "TOOL_FAILED",
    });
    await expect(call("write_file", { path: "../x", content: "x" })).rejects.toMatchObject({
      code: "TOOL_REFUSED",
    });
    expect(await readdir(workspace)).toEqual(["a"]);
  });

  test("a reader sees the old or the new text, never a part", async () => {
    const { workspace, call } = await makeTools();
    const texts = ["a".repeat(300_000), "b".repeat(200_000)];
    await call("write_file", { path: "file", content: texts[0] });
    const writing = new AbortController();
    const reading = (async () => {
      while (!writing.signal.aborted)
        expect(texts).toContain(await readFile(join(workspace, "file"), "utf8"));
    })();
    for (let round = 1; round <= 40; round++)
      await call("write_file", { path: "file", content: texts[round % 2] });
    writing.abort();
    await reading;
  });
});

describe("edit_file", () => {
  const edit = { path: "a", old_text: "two", new_text: "2" };

  test("replaces what occurs once", async () => {
    const { workspace, call } = await makeTools();
    await writeFile(join(workspace, "a"), "one two three $& $1");
    expect(await call("edit_file", { ...edit, new_text: "$& $1" })).toBe("edited a: 1 place replaced");
    expect(await readFile(join(workspace, "a"), "utf8")).toBe("one $& $1 three $& $1");
  });

  test("refuses what occurs never or several times, and changes nothing", async () => {
    const { workspace, call } = await makeTools();
    await writeFile(join(workspace, "a"), "two two two");
    await expect(call("edit_file", edit)).rejects.toThrow(/occurs 3 times in a/);
    await expect(call("edit_file", { ...edit, old_text: "four" })).rejects.toThrow(/does not occur in a/);
    await expect(call("edit_file", { ...edit, new_text: "two", replace_all: true })).rejects.toThrow(
      /are the same/,
    );
    expect(await readFile(join(workspace, "a"), "utf8")).toBe("two two two");
    expect(await call("edit_file", { ...edit, replace_all: true })).toBe("edited a: 3 places replaced");
    expect(await readFile(join(workspace, "a"), "utf8")).toBe("2 2 2");
  });

  test("keeps CR LF and the byte-order mark", async () => {
    const { workspace, call } = await makeTools();
    await writeFile(join(workspace, "a"), "\ufeffone\r\ntwo\r\nthree\r\n");
    await call("edit_file", { path: "a", old_text: "one\ntwo\n", new_text: "1\n1½\n2\n" });
    expect(await readFile(join(workspace, "a"), "utf8")).toBe("\ufeff1\r\n1½\r\n2\r\nthree\r\n");
  });

  test("in a file of mixed line ends takes the text as it is", async () => {
    const { workspace, call } = await makeTools();
    await writeFile(join(workspace, "a"), "one\r\ntwo\nthree\r\n");
    await call("edit_file", { path: "a", old_text: "two\n", new_text: "2\n" });
    expect(await readFile(join(workspace, "a"), "utf8")).toBe("one\r\n2\nthree\r\n");
  });

  test("leaves a file that is not UTF-8 alone", async () => {
    const { workspace, call } = await makeTools();
    const bytes = Buffer.from([0x74, 0x77, 0x6f, 0xff]);
    await writeFile(join(workspace, "a"), bytes);
    await expect(call("edit_file", edit)).rejects.toThrow(/not UTF-8/);
    expect(await readFile(join(workspace, "a"))).toEqual(bytes);
  });

  test("asks for an old text", async () => {
    const { call } = await makeTools();
    await expect(call("edit_file", { ...edit, old_text: "" })).rejects.toThrow(/old_text/);
  });
});

describe("list_dir", () => {
  test("is sorted, with kinds and sizes; links are not followed", async () => {
    const { workspace, outside, call } = await makeTools();
    await mkdir(join(workspace, "src"));
    await writeFile(join(workspace, "b.txt"), "12345");
    await writeFile(join(workspace, "Z\n\u001b"), "");
    await symlink(join(outside, "secret"), join(workspace, "link"));
    const text = await call("list_dir", {});
    expect(text).toBe("Z␊␛ (0 bytes)\nb.txt (5 bytes)\nlink (link)\nsrc/");
    expect(text).not.toContain(SECRET);
    expect(await call("list_dir", { path: "src" })).toBe("[src is empty]");
    await expect(call("list_dir", { path: ".." })).rejects.toMatchObject({ code: "TOOL_REFUSED" });
  });

  test("says how many were left out", async () => {
    const { workspace, call } = await makeTools();
    await Promise.all(
      Array.from({ length: 510 }, (_, index) => writeFile(join(workspace, `file-${index}`), "")),
    );
    const lines = (await call("list_dir", { path: "." })).split("\n");
    expect(lines).toHaveLength(501);
    expect(lines.at(-1)).toMatch(/^\[10 more are left out/);
  });
});
