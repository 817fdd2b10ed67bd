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
