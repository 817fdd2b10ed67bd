import { describe, expect, test } from "vitest";
import { parseMoment } from "../../src/commands/parse-moment.ts";

const NOW = Date.parse("2026-11-15T12:00:00.000Z");

describe("a moment on the command line", () => {
  test("is an age, a day here, or a time", () => {
    expect(parseMoment("30d", NOW).toISOString()).toBe("2026-10-16T12:00:00.000Z");
    expect(parseMoment("90m", NOW).toISOString()).toBe("2026-11-15T10:30:00.000Z");
    expect(parseMoment("2w", NOW).toISOString()).toBe("2026-11-01T12:00:00.000Z");
    expect(parseMoment("2026-11-01", NOW)).toEqual(new Date(2026, 10, 1));
    expect(parseMoment("2026-11-01T10:00:00+02:00", NOW).toISOString()).toBe("2026-11-01T08:00:00.000Z");
  });

  test.each(["", "soon", "30", "30x", "2026-02-31", "2026-13-01", "2026-11-15T99:99", "01/02/2026", "-3d"])(
    "is not %j",
    (text) => {
      expect(() => parseMoment(text, NOW)).toThrow("a date such as");
    },
  );
});
