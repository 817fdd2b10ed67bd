/** The chat on a real terminal, as somebody sees it who types. Runs what was built. */

import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { type Tmux, whyNoTmux, withTmux } from "./support/tmux.ts";

const SCRIPT = fileURLToPath(new URL("support/pty-chat.js", import.meta.url));
const count = (text: string, part: string): number => text.split(part).length - 1;

let reason: string | undefined;
beforeAll(async () => {
  reason = await whyNoTmux();
  if (reason !== undefined && process.env["CI"] === "true") throw new Error(reason);
});

function onTerminal(name: string, use: (tmux: Tmux) => Promise<void>, width = 80): void {
  test(name, async (context) => {
    if (reason !== undefined) context.skip(reason);
    await withTmux([process.execPath, SCRIPT], { width, height: 24 }, async (tmux) => {
      await tmux.sees("/help lists the commands", "❯");
      await use(tmux);
    });
  });
}

describe("a chat on a real terminal", () => {
  onTerminal("answers, and ends with Ctrl-D as if it had never been there", async (tmux) => {
    await tmux.types("hello");
    await tmux.presses("Enter");
    await tmux.sees('You said "hello"');
    await tmux.presses("C-d");
    const seen = await tmux.sees("ended with 0");
    expect(seen).not.toContain("tokens");
  });

  onTerminal("a paste of several lines is one message", async (tmux) => {
    await tmux.pastes("first line\nsecond line\nthird");
    await tmux.sees("❯ first line\n  second line\n  third");
    await tmux.presses("Enter");
    await tmux.sees('You said "first line\\nsecond line\\nthird"');
  });

  onTerminal("wide characters and marks stand where they belong", async (tmux) => {
    await tmux.types("数据x");
    await tmux.presses("Left", "Left");
    await tmux.sees("❯ 数据x");
    await expect.poll(async () => (await tmux.cursor()).column).toBe(4);
    await tmux.types("é");
    await tmux.sees("❯ 数é据x");
    await tmux.presses("BSpace", "BSpace", "Enter");
    await tmux.sees('You said "据x"');
  });

  onTerminal("typing during an answer garbles neither", async (tmux) => {
    await tmux.types("slow");
    await tmux.presses("Enter");
    await tmux.sees("piece 2 of 30");
    for (const part of ["typed ", "while ", "it ", "answers"]) await tmux.types(part);
    await tmux.sees("❯ typed while it answers");
    await tmux.presses("Enter");
    await tmux.sees("waiting: typed while it answers");
    const seen = await tmux.sees('You said "typed while it answers"');
    for (let number = 1; number <= 30; number++) expect(count(seen, `piece ${number} of 30`)).toBe(1);
    expect(seen).toContain("piece 1 of 30, piece 2 of 30, piece 3 of 30, piece 4 of 30, piece 5 of");
    expect(count(seen, "typed while it answers")).toBe(2);
  });

  onTerminal("resizing leaves nothing behind, narrower and wider, also during an answer", async (tmux) => {
    await tmux.types("slow");
    await tmux.presses("Enter");
    await tmux.types("a line that is longer than the narrow terminal will be");
    await tmux.sees("narrow terminal will be", "piece 3 of 30");
    await tmux.resizes(40, 20);
    await tmux.sees("❯ a line that is longer than the narrow\n   terminal will be");
    await tmux.resizes(100, 24);
    await tmux.sees("❯ a line that is longer than the narrow terminal will be");
    await tmux.sees("piece 30 of 30");
    await tmux.presses("Enter");
    const answer = 'You said "a line that is longer than the narrow terminal will be"';
    const seen = await tmux.sees(answer, "tokens", /^(?![^]*working)/);
    expect(count(seen, "❯")).toBe(3);
    expect(count(seen, "tokens")).toBe(1);
    expect(seen).not.toContain("working");
    for (let number = 1; number <= 30; number++)
      expect(count(seen.replace(/\s+/g, " "), `piece ${number} of 30`)).toBe(1);
  });

  onTerminal("Ctrl-C cancels, clears, and says how to leave", async (tmux) => {
    await tmux.types("hang");
    await tmux.presses("Enter");
    await tmux.sees("hanging", "working");
    await tmux.presses("C-c");
    await tmux.sees("cancelled; what was said until then is kept");
    await tmux.types("a line");
    await tmux.sees("❯ a line");
    await tmux.presses("C-c");
    await tmux.sees(/❯\n*$/);
    await tmux.presses("C-c");
    await tmux.sees("to leave: /quit or Ctrl-D");
  });

  test("Ctrl-Z gives the terminal back to the shell, also where the chat was started by another program", async (context) => {
    if (reason !== undefined) context.skip(reason);
    const shell = ["bash", "--norc", "--noprofile", "-i"];
    await withTmux(shell, { width: 80, height: 24 }, async (tmux) => {
      await tmux.types(`sh -c '"${process.execPath}" "${SCRIPT}"; true'`);
      await tmux.presses("Enter");
      await tmux.sees("/help lists the commands", "❯");
      await tmux.presses("C-z");
      await tmux.sees("Stopped");
      await tmux.types("echo the shell is $((40 + 2))");
      await tmux.presses("Enter");
      await tmux.sees("the shell is 42");
      await tmux.types("fg");
      await tmux.presses("Enter");
      await tmux.sees(/fg\n[^]*❯/);
      await tmux.types("back");
      await tmux.presses("Enter");
      await tmux.sees('You said "back"');
    });
  });

  onTerminal("Ctrl-Z where no shell could bring it back changes nothing", async (tmux) => {
    await tmux.presses("C-z");
    await tmux.types("still here");
    await expect
      .poll(
        async () => {
          // Until the keys are the chat's again it is the terminal that takes them.
          await tmux.presses("Enter");
          return await tmux.screen();
        },
        { timeout: 60_000, interval: 200 },
      )
      .toContain('You said "still here');
  });

  onTerminal("SIGTERM during an answer ends it cleanly", async (tmux) => {
    await tmux.types("hang");
    await tmux.presses("Enter");
    await tmux.sees("hanging", "working");
    process.kill(await tmux.processId(), "SIGTERM");
    await tmux.sees("cancelled; what was said until then is kept", "ended with 0");
  });
});
