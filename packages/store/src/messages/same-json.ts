import { isJsonObject } from "../format/json.ts";

/** Deep equality of JSON values. The order of fields does not count, and an `undefined` field counts as absent. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  // JSON writes -0 as 0.
  if (typeof one === "number" || typeof other === "number") return one === other;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((value, index) => sameJson(value, other[index]));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const fields = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...fields].every((field) => sameJson(fieldOf(one, field), fieldOf(other, field)));
}

function fieldOf(value: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(value, field) ? value[field] : undefined;
}
