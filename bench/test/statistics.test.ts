import { describe, expect, test } from "vitest";
import { percentile, ratioOf, slowestToFastest, spreadOf } from "../statistics.ts";

describe("a spread", () => {
  test("has the middle value, whatever the order, and both ends", () => {
    expect(spreadOf([9, 1, 5])).toEqual({ median: 5, min: 1, max: 9 });
    expect(spreadOf([7])).toEqual({ median: 7, min: 7, max: 7 });
  });

  test("of an even number of values has the mean of the middle two", () => {
    expect(spreadOf([4, 1, 100, 2]).median).toBe(3);
  });

  test("sorts numbers as numbers", () => {
    expect(spreadOf([100, 9, 10]).median).toBe(10);
  });

  test("of nothing is refused", () => {
    expect(() => spreadOf([])).toThrow("at least one value");
  });
});

test("a percentile is the nearest rank", () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index);
  expect(percentile(values, 0.5)).toBe(100);
  expect(percentile(values, 0.99)).toBe(198);
  expect(percentile([3], 0.99)).toBe(3);
});

describe("a ratio", () => {
  test("is above 1 where we are faster, in either unit", () => {
    expect(ratioOf([200], [100], "higher")?.median).toBe(2);
    expect(ratioOf([200], [100], "lower")?.median).toBe(0.5);
  });

  test("is paired by repetition: a slow moment that hit both does not count", () => {
    // The ratio of the medians would be 2.5.
    expect(ratioOf([100, 1000, 500], [50, 500, 200], "higher")).toEqual({ median: 2, min: 2, max: 2.5 });
  });

  test("needs figures of both", () => {
    expect(ratioOf([], [1], "higher")).toBeUndefined();
    expect(ratioOf([1], [], "higher")).toBeUndefined();
  });
});

test("flatness is the slowest against the fastest", () => {
  expect(slowestToFastest([2, 3, 2.5])).toBe(1.5);
});
