/**
 * One line of JSON. JSON escapes the C0 controls by itself; the other characters that a terminal would act on are
 * escaped too, which changes how the text is written and not what it says.
 */

const UNSAFE = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/g;

export function jsonLine(value: unknown): string {
  return `${jsonText(value)}\n`;
}

export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, (unsafe) =>
    unsafe
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}
