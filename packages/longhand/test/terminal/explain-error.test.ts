import { expect, test } from "vitest";
import { AgentError } from "@longhand/agent";
import { LONGHAND_ERROR_CODES, LonghandError } from "@longhand/store";
import { CommandError } from "../../src/command-error.ts";
import { commandToPaste } from "../../src/terminal/command-to-paste.ts";
import {
  explainError as explain,
  type Explanation,
  type FailedCommand,
} from "../../src/terminal/explain-error.ts";

const toPaste = commandToPaste({ sessions: "./my store" });
const explainError = (error: unknown, given: Partial<FailedCommand> = {}): Explanation =>
  explain(error, { toPaste, canWait: true, isOwnerStopped: false, ...given });

test.each(LONGHAND_ERROR_CODES)("%s has an exit code and keeps the store's words", (code) => {
  const explained = explainError(new LonghandError(code, "the store's words", { file: "f" }));
  expect(explained).toMatchObject({ code, message: "the store's words", detail: { file: "f" } });
  expect([1, 2, 3]).toContain(explained.exitCode);
});

test("not found is 3, wrong usage 2, the rest 1", () => {
  expect(explainError(new LonghandError("SESSION_NOT_FOUND", "")).exitCode).toBe(3);
  expect(explainError(new CommandError("KEY_AMBIGUOUS", "")).exitCode).toBe(3);
  expect(explainError(new LonghandError("KEY_INVALID", "")).exitCode).toBe(2);
  expect(explainError(new CommandError("USAGE_INVALID", "")).exitCode).toBe(2);
  expect(explainError(new LonghandError("DISK_FULL", "")).exitCode).toBe(1);
  expect(explainError(new Error("?")).exitCode).toBe(1);
});

test("what nobody foresaw says how to learn more", () => {
  expect(explainError(new TypeError("x is not a function"))).toMatchObject({ code: "UNEXPECTED" });
  expect(explainError(new TypeError("x")).remedy).toContain("LONGHAND_DEBUG=1");
  expect(explainError("thrown text").message).toBe("thrown text");
});

test("a failure of the system is told in the system's words", () => {
  const error = Object.assign(new Error("EACCES: permission denied, mkdir '/x'"), { syscall: "mkdir" });
  expect(explainError(error)).toMatchObject({ code: "IO_FAILED", message: error.message });
});

test("a command that helps is for the same store", () => {
  const { remedy } = explainError(new LonghandError("IO_FAILED", ""));
  expect(remedy).toContain("longhand doctor --sessions './my store'");
});

test("a file that this user may not read is given back without a detour", () => {
  const detail = { file: "/", errno: "EACCES" };
  expect(explainError(new LonghandError("IO_FAILED", "", detail)).remedy).toMatch(/: (chmod|ls|run)|user \d/);
  expect(explainError(new LonghandError("IO_FAILED", "", { ...detail, errno: "EIO" })).remedy).toContain(
    "doctor",
  );
});

test("a session that is held elsewhere is told in the words of the command line", () => {
  const detail = { key: "k", pid: 7, host: "h", since: "noon", liveness: "alive" };
  const locked = explainError(new LonghandError("SESSION_LOCKED", "open the store with readOnly", detail));
  expect(locked.message).toBe("k is being written to by process 7 on h since noon");
  expect(locked.remedy).toContain("--wait SECONDS");
});

test("the advice is for the command that was run, and for the owner that there is", () => {
  const detail = { key: "k", pid: 7, host: "h", since: "noon", liveness: "alive" };
  const error = new LonghandError("SESSION_LOCKED", "", detail);
  expect(explainError(error, { canWait: false }).remedy).toMatch(/^try again when it is done, or end it/);
  expect(explainError(error, { isOwnerStopped: true }).remedy).toMatch(/kill -CONT 7$/);
});

test("whose end cannot be proven can be given up by a person", () => {
  const detail = { key: "a b", pid: 7, host: "h", since: "noon", liveness: "unproven" };
  const locked = explainError(new LonghandError("SESSION_LOCKED", "", detail));
  expect(locked.message).toContain("(whether it still runs cannot be told from here)");
  expect(locked.remedy).toContain("longhand doctor --break-lease 'a b' --sessions './my store'");
});

test("what fails in an agent is told in the agent's words, under its code", () => {
  expect(explainError(new AgentError("MODEL_UNKNOWN", "no such model"))).toMatchObject({
    code: "MODEL_UNKNOWN",
    message: "no such model",
    remedy: undefined,
    exitCode: 1,
  });
});
