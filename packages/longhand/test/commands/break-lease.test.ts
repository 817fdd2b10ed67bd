import { describe, expect, test } from "vitest";
import type { StoreOwner } from "@longhand/store";
import { breakLease, type LeaseDoor } from "../../src/commands/break-lease.ts";
import { fakeSurroundings } from "../support/with-memory.ts";

const owner: StoreOwner = {
  instance: "01A",
  pid: 7,
  host: "box",
  since: "noon",
  liveness: "unproven",
  journalBytes: 0,
  holds: [{ name: "k", key: "k", since: "noon" }],
};

function doorWith(found: StoreOwner | undefined): LeaseDoor & { readonly declared: string[] } {
  const declared: string[] = [];
  return {
    declared,
    findOwnerOf: () => Promise.resolve(found),
    declareDead: (_directory, instance) => Promise.resolve(void declared.push(instance)),
  };
}

describe("doctor --break-lease", () => {
  test("believes the person who says that the owner has ended", async () => {
    const asked = fakeSurroundings({ answers: ["y"] });
    const door = doorWith(owner);
    await breakLease("k", false, asked, door);
    expect(asked.output.complaints.join("")).toContain(
      "k is held by process 7 on box since noon. Are you sure",
    );
    expect(asked.output.printed.join("")).toContain("nothing acknowledged is lost");
    expect(door.declared).toEqual(["01A"]);
  });

  test("asks, or needs --yes", async () => {
    const door = doorWith(owner);
    await expect(breakLease("k", false, fakeSurroundings(), door)).rejects.toMatchObject({
      code: "NOT_CONFIRMED",
      remedy: "longhand doctor --yes --break-lease k",
    });
    await expect(breakLease("k", false, fakeSurroundings({ answers: ["no"] }), door)).rejects.toThrow();
    expect(door.declared).toEqual([]);
    const json = fakeSurroundings({ json: true });
    await breakLease("k", true, json, door);
    expect(JSON.parse(json.output.printed.join(""))).toMatchObject({ key: "k", broken: true });
    expect(door.declared).toEqual(["01A"]);
  });

  test("never robs a process that is proven to run, --yes or not", async () => {
    const door = doorWith({ ...owner, liveness: "alive" });
    await expect(breakLease("k", true, fakeSurroundings(), door)).rejects.toMatchObject({
      code: "LEASE_IN_USE",
      remedy: "stop that process: kill 7",
    });
    expect(door.declared).toEqual([]);
  });

  test("has nothing to do where nobody holds it, or only a dead one", async () => {
    for (const found of [undefined, { ...owner, liveness: "dead" } as const]) {
      const door = doorWith(found);
      const asked = fakeSurroundings();
      await breakLease("k", false, asked, door);
      expect(asked.output.printed.join("")).toContain("k can be written to");
      expect(door.declared).toEqual([]);
    }
  });
});
