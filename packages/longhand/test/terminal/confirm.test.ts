import { describe, expect, test } from "vitest";
import { confirm } from "../../src/terminal/confirm.ts";
import { fakeSurroundings } from "../support/with-memory.ts";

const question = { question: "Really?", yes: false, command: "longhand x --yes" };

describe("confirm", () => {
  test.each(["y", "Y", "yes", " yes "])("%j is a yes", async (answer) => {
    const asked = fakeSurroundings({ answers: [answer] });
    await confirm(asked, question);
    expect(asked.output.complaints).toEqual(["Really? [y/N] "]);
  });

  test.each(["", "n", "no", "yep", "yes please"])("%j is a no", async (answer) => {
    const asked = fakeSurroundings({ answers: [answer] });
    await expect(confirm(asked, question)).rejects.toMatchObject({ code: "NOT_CONFIRMED" });
  });

  test("with --yes nothing is asked", async () => {
    const asked = fakeSurroundings();
    await confirm(asked, { ...question, yes: true });
    expect(asked.output.complaints).toEqual([]);
  });

  test("where nobody sees the question, or a program reads, it must be --yes", async () => {
    for (const asked of [fakeSurroundings(), fakeSurroundings({ answers: ["y"], json: true })]) {
      await expect(confirm(asked, question)).rejects.toMatchObject({ remedy: "longhand x --yes" });
      expect(asked.output.complaints).toEqual([]);
    }
  });
});
