import { appendFile, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openStore } from "@longhand/store";
import { jsonLines, nothing, say, withHome } from "../support/with-home.ts";

describe("append", () => {
  test("takes the key exactly, so that a part begins a new session", async () => {
    await withHome(
      async (store) => say(store, "telegram:1", "x"),
      async (longhand) => {
        expect((await longhand("append tele hello_there")).stdout).toBe("seq 1  tele\n");
        expect((await longhand("append telegram:1 y --json")).stdout).toBe('{"key":"telegram:1","seq":2}\n');
        expect((await longhand("append last z --role assistant --json")).stdout).toContain('"seq":3');
      },
    );
  });

  test("reads standard input without its last line end", async () => {
    await withHome(nothing, async (longhand) => {
      await longhand("append k", { input: "two\nlines\n" });
      await longhand("append k -", { input: "dash\r\n" });
      expect(jsonLines((await longhand("show k --json")).stdout)).toMatchObject([
        { message: { content: "two\nlines" } },
        { message: { content: "dash" } },
      ]);
    });
  });

  describe("JSON lines on standard input", () => {
    const a = '{"role":"user","content":"a"}';
    const b = '{"role":"assistant","content":"b"}';

    test("are one message each, in one atomic batch", async () => {
      await withHome(
        async (store) => say(store, "k", "zero"),
        async (longhand, _home, sessions) => {
          const { stdout } = await longhand("append k -", { input: `${a}\n${b}\n{"content":"c"}\n` });
          expect(stdout).toBe("seq 2 to 4  k\n");
          expect(jsonLines((await longhand("show k --json")).stdout)).toMatchObject([
            { message: { content: "zero" } },
            { message: { role: "user", content: "a" } },
            { message: { role: "assistant", content: "b" } },
            { message: { role: "user", content: "c" } },
          ]);
          expect(await readFile(join(sessions, "k.jsonl"), "utf8")).toContain('"batch":[3,3]');
          const json = await longhand("append k --json --role tool", { input: '{"content":"d"}\n' + b });
          expect(json.stdout).toBe('{"key":"k","seq":6,"messages":2}\n');
          expect((await longhand("show k --json -n 2")).stdout).toContain('"role":"tool","content":"d"');
        },
      );
    });

    test("with --id are written once", async () => {
      await withHome(nothing, async (longhand) => {
        for (let run = 0; run < 2; run++) {
          expect((await longhand("append k --id 7", { input: `${a}\n${b}` })).stdout).toBe("seq 1 to 2  k\n");
        }
      });
    });

    test("of show --json go into another session", async () => {
      await withHome(
        async (store) => say(store, "k", "one", "two"),
        async (longhand) => {
          const input = (await longhand("show k --json")).stdout;
          expect((await longhand("append other", { input })).stdout).toBe("seq 1 to 2  other\n");
        },
      );
    });

    test.each([
      [`${a}\n{"role":"user","content":\n${b}`, "line 2 of standard input is not valid JSON"],
      [`${a}\n\n{"role":"boss","content":"c"}`, "line 3 of standard input cannot be stored: role must be"],
      [`${a}\n{"role":"user"}`, "line 2 of standard input cannot be stored: content must be"],
    ])("a wrong one among them is named, and nothing is written: %j", async (input, expected) => {
      await withHome(nothing, async (longhand) => {
        const { exitCode, stdout, stderr } = await longhand("append k", { input });
        expect([exitCode, stdout, stderr]).toEqual([2, "", expect.stringContaining(expected)]);
        expect(stderr).toContain("nothing was written");
        expect((await longhand("list --json")).stdout).toBe("");
        const json = await longhand("append k --json", { input });
        expect(JSON.parse(json.stderr)).toMatchObject({ error: { code: "INPUT_INVALID" } });
      });
    });

    test("as an argument are a text", async () => {
      await withHome(nothing, async (longhand) => {
        await longhand(`append k ${a}`);
        expect((await longhand("show k --json")).stdout).toContain(JSON.stringify(a));
      });
    });
  });

  test("refuses empty input and input that is no text; nothing is written", async () => {
    await withHome(nothing, async (longhand) => {
      expect((await longhand("append k", { input: "" })).exitCode).toBe(2);
      const binary = await longhand("append k", { input: Uint8Array.of(0xff, 0xfe, 0x00) });
      expect([binary.exitCode, binary.stderr]).toEqual([2, expect.stringContaining("not UTF-8")]);
      expect((await longhand("list --json")).stdout).toBe("");
    });
  });

  test("--id writes once; another text under it is refused", async () => {
    await withHome(nothing, async (longhand) => {
      expect((await longhand("append k paid --id 7")).stdout).toBe("seq 1  k\n");
      expect((await longhand("append k paid --id 7")).stdout).toBe("seq 1  k\n");
      const other = await longhand("append k other --id 7 --json");
      expect(other.exitCode).toBe(1);
      expect(JSON.parse(other.stderr)).toMatchObject({ error: { code: "ID_CONFLICT" } });
    });
  });

  test("while another has the session locked, says who after the wait; reading works", async () => {
    await withHome(
      async (store) => say(store, "k", "x"),
      async (longhand, _home, sessions) => {
        const other = await openStore(sessions);
        const lock = await other.session("k").lock();
        try {
          const refused = await longhand("append k y --wait 0.1");
          expect(refused.exitCode).toBe(1);
          expect(refused.stderr).toContain(`k is being written to by process ${process.pid}`);
          expect(refused.stderr).toContain("--wait SECONDS");
          expect(refused.stderr).toContain("reading works meanwhile");
          expect((await longhand("show k")).stdout).toContain("  x\n");
          expect((await longhand("append elsewhere y --wait 0.1")).exitCode).toBe(0);
          const doctor = await longhand("doctor");
          expect(doctor.stdout).toMatch(
            new RegExp(`process ${process.pid} on .*: running\n +may write to k\n`),
          );
          expect(doctor.exitCode).toBe(0);
        } finally {
          await lock[Symbol.asyncDispose]();
          await other.close();
        }
      },
    );
  });

  test("that cuts a torn tail says where its bytes went", async () => {
    await withHome(
      async (store) => say(store, "k", "one"),
      async (longhand, _home, sessions) => {
        const file = join(sessions, "k.jsonl");
        const { size } = await stat(file);
        await appendFile(file, '{"seq":2,"at":"20');
        const { exitCode, stderr } = await longhand("append k two");
        const kept = join(sessions, ".longhand", "damaged", `k.jsonl.${size}`);
        expect(exitCode).toBe(0);
        expect(stderr).toMatch(/^longhand: warning: .*k\.jsonl: torn at byte \d+ /);
        expect(stderr).toContain(`; cut off, and kept in ${kept}\n`);
        expect(await readFile(kept, "utf8")).toBe('{"seq":2,"at":"20');
      },
    );
  });

  test("leaves another program's sessions alone, and says so in one line", async () => {
    await withHome(nothing, async (longhand, _home, sessions) => {
      const at = "2026-01-02T03:04:05Z";
      const messages = [{ role: "user", content: "where is it", created_at: at }];
      const document = { key: "telegram:42", messages, summary: "", created: at, updated: at };
      const original = join(sessions, "telegram_42.json");
      await writeFile(original, JSON.stringify(document), { mode: 0o600 });
      const first = await longhand("append k one");
      expect(first).toMatchObject({ exitCode: 0, stdout: "seq 1  k\n" });
      expect(first.stderr).toBe(
        "longhand: telegram_42.json looks like a session of another program and was left alone: longhand migrate --dry-run\n",
      );
      expect(await readFile(original, "utf8")).toBe(JSON.stringify(document));
      // It opens the store twice.
      const json = await longhand("rename k T --json");
      expect(jsonLines(json.stderr)).toMatchObject([
        { warning: { code: "SESSIONS_FOREIGN", files: [original] } },
      ]);
    });
  });

  test("waits in line for another to let go", async () => {
    await withHome(nothing, async (longhand, _home, sessions) => {
      const other = await openStore(sessions);
      const lock = await other.session("k").lock();
      const appended = longhand("append k second --wait 60");
      await other.session("k").append({ role: "user", content: "first" });
      await lock[Symbol.asyncDispose]();
      // The other has it open still, and writes no more: it lets go of what somebody waits for.
      expect(await appended).toMatchObject({ exitCode: 0, stdout: "seq 2  k\n" });
      await other.close();
    });
  });
});
