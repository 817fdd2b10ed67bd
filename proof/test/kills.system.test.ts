import { describe, expect, test } from "vitest";
import { kills } from "../kills/part.ts";
import { runLives } from "../kills/run-lives.ts";
import { Violation } from "../part.ts";
import { collectFindings } from "./support/collect-findings.ts";

describe("real kills", () => {
  test("a few, with nothing lost", async () => {
    const { findings, counts } = collectFindings();
    await runLives({ slice: { seed: 5, number: 9 }, findings, rounds: 4, conduct: "honest" });
    expect(counts["kills"]).toBeGreaterThanOrEqual(4);
  });

  test("control: a writer that answers early is found out by what is missing", async () => {
    const failing = kills.control(collectFindings().findings);
    await expect(failing).rejects.toThrow(Violation);
    await expect(failing).rejects.toThrow("was acknowledged with seq");
  });
});
