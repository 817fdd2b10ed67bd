/** Readers beside movers: the pairings that found something once, and the control that must find something. */

import { describe, expect, test } from "vitest";
import { Violation } from "../part.ts";
import { MOVERS } from "../readers/movers.ts";
import { DRAWN_TURNS, pairsOfMoments, readers, sliceOfPairing } from "../readers/part.ts";
import { readBeside } from "../readers/read-beside.ts";
import { READERS } from "../readers/readers.ts";
import { prepareScene } from "../readers/scene.ts";
import { Turns } from "../readers/turns.ts";

const findings = { count: () => undefined, distinct: () => undefined, note: () => undefined };

describe("readers beside movers", () => {
  test.each([
    ["list", "restore and archive"],
    ["state", "newer of two"],
    ["records", "drop"],
  ])("%s beside %s", { timeout: 300_000 }, async (reader, mover) => {
    const number = sliceOfPairing(reader, mover);
    expect(number).not.toBe(-1);
    await readers.run({ seed: 1, number }, findings);
  });

  test("what is fixed is all pairs of moments, without the drawn turns", { timeout: 300_000 }, async () => {
    const number = sliceOfPairing("state", "newer of two");
    const readingsOf = async (isFixedOnly: boolean): Promise<number> => {
      let readings = 0;
      const counting = {
        ...findings,
        count: (name: string) => void (readings += name === "readings" ? 1 : 0),
      };
      await readers.run({ seed: 1, number, isFixedOnly }, counting);
      return readings;
    };
    const fixed = await readingsOf(true);
    expect(fixed).toBeGreaterThan(0);
    expect(await readingsOf(false)).toBe(fixed + DRAWN_TURNS);
  });

  test("the control fails: the reader does not see that sessions move", { timeout: 300_000 }, async () => {
    await expect(readers.control(findings)).rejects.toThrow(Violation);
  });

  test("the reader that lists too little, twice, or with a gap is found", async () => {
    const mover = MOVERS["archive and restore"];
    const list = READERS["list"];
    const records = READERS["records"];
    if (mover === undefined || list === undefined || records === undefined)
      throw new Error("no such pairing");
    const scene = await prepareScene(mover);
    const { wrong } = await readBeside({ scene, mover, reader: list, turns: [] });
    expect(wrong).toBeUndefined();
    const more = { ...scene, ids: [...scene.ids, "another"] };
    expect((await readBeside({ scene: more, mover, reader: list, turns: [] })).wrong).toBe(
      "another is not listed",
    );
  });

  test("the second move comes at every moment up to the end of the reading as the first has left it", () => {
    // Without a move it makes one call; with one before it, two more.
    expect(pairsOfMoments([3, 1])).toEqual([...[1, 2, 3, 4].map((second) => [0, second]), [1, 2]]);
  });

  test("turns are kept, and used up only where there is a choice", () => {
    const turns = new Turns();
    turns.begin([2, 1, 0, 2]);
    const drawn = [2, 1, 2, 2, 1024, 2, 2, 2, 2].map((bound) => turns.below(bound));
    expect(drawn).toEqual([0, 0, 0, 1, 0, 1, 1, 0, 0]);
  });
});
