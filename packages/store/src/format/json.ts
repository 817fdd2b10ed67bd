/** The only place where JSON text becomes a value. Untrusted, hence `unknown`. */
export function parseJson(text: string): unknown {
  return JSON.parse(text) as unknown;
}

/** For lines that may be damaged: `undefined` instead of an exception. */
export function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
