/**
 * From the bytes of a terminal to keys. Bytes come cut anywhere: characters, escape sequences and pastes that are not whole
 * yet wait for the rest, so that the keys do not depend on how they were cut. Pure, but for what waits.
 */

import type { Key, KeyName } from "./keys.ts";

const ESCAPE = "\u001b";
const PASTE_BEGIN = `${ESCAPE}[200~`;
const PASTE_END = `${ESCAPE}[201~`;

export class KeyDecoder {
  readonly #utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  #rest = "";
  /** What has come of a paste that has not ended. */
  #pasted: string | undefined;

  decode(bytes: Uint8Array): Key[] {
    this.#rest += this.#utf8.decode(bytes, { stream: true });
    const keys: Key[] = [];
    for (let key = this.#next(); key !== undefined; key = this.#next()) keys.push(...key);
    return keys;
  }

  /** An escape sequence has begun, or Escape was pressed: only time can tell. */
  get isWaiting(): boolean {
    return this.#pasted === undefined && this.#rest !== "";
  }

  /** Nothing more came: what looked like the beginning of a sequence was the key Escape. */
  giveUpWaiting(): Key[] {
    if (!this.isWaiting) return [];
    this.#rest = "";
    return [command("escape")];
  }

  /** `undefined`: there is nothing whole. */
  #next(): Key[] | undefined {
    if (this.#pasted !== undefined) return this.#nextOfPaste(this.#pasted);
    if (this.#rest === "") return undefined;
    if (this.#rest.startsWith(PASTE_BEGIN)) {
      this.#rest = this.#rest.slice(PASTE_BEGIN.length);
      this.#pasted = "";
      return [];
    }
    const found = this.#rest.startsWith(ESCAPE) ? escapeSequence(this.#rest) : plainKey(this.#rest);
    if (found === undefined) return undefined;
    this.#rest = this.#rest.slice(found.length);
    return found.key === undefined ? [] : [found.key];
  }

  #nextOfPaste(before: string): Key[] | undefined {
    const end = this.#rest.indexOf(PASTE_END);
    if (end === -1) {
      // The end itself may be cut.
      const sure = Math.max(0, this.#rest.length - PASTE_END.length + 1);
      this.#pasted = before + this.#rest.slice(0, sure);
      this.#rest = this.#rest.slice(sure);
      return undefined;
    }
    const text = before + this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end + PASTE_END.length);
    this.#pasted = undefined;
    return [{ type: "paste", text: text.replace(/\r\n?/g, "\n") }];
  }
}

interface Found {
  readonly length: number;
  /** `undefined`: a key that means nothing here. */
  readonly key: Key | undefined;
}

function plainKey(text: string): Found {
  const [run] = /^[^\u0000-\u001f\u007f]+/u.exec(text) ?? [];
  if (run !== undefined) return { length: run.length, key: { type: "text", text: run } };
  return { length: 1, key: named(CONTROLS[text.charAt(0)]) };
}

function escapeSequence(text: string): Found | undefined {
  if (text === ESCAPE) return undefined;
  const kind = text.charAt(1);
  // The function keys of the Linux console.
  if (text.startsWith(`${ESCAPE}[[`)) return text.length < 4 ? undefined : { length: 4, key: undefined };
  if (kind === "[") return controlSequence(text);
  if (kind === "O") {
    return text.length < 3 ? undefined : { length: 3, key: named(FINALS[text.charAt(2)]) };
  }
  if (kind === ESCAPE) return { length: 1, key: command("escape") };
  const [character = ""] = text.slice(1);
  return { length: 1 + character.length, key: named(WITH_ALT[character]) };
}

function controlSequence(text: string): Found | undefined {
  const whole = /^\u001b\[([0-?]*)[ -/]*([@-~])/.exec(text);
  if (whole === null) {
    const [begun = ""] = /^\u001b\[[0-?]*[ -/]*/.exec(text) ?? [];
    // Something else in the middle of a sequence: it was none.
    return begun === text ? undefined : { length: begun.length, key: undefined };
  }
  const [{ length }, parameters = "", final = ""] = whole;
  return { length, key: named(sequenceName(parameters.split(";"), final)) };
}

function sequenceName(parameters: readonly string[], final: string): KeyName | undefined {
  const [first = "", modifier = "", third = ""] = parameters;
  // Enter with shift, alt or control, as newer terminals tell it.
  if (final === "u" && first === "13") return modifier === "" || modifier === "1" ? "enter" : "newline";
  if (final === "~" && first === "27" && third === "13") return "newline";
  const isModified = modifier !== "" && modifier !== "1";
  if (isModified && (final === "C" || final === "D")) return final === "C" ? "word-right" : "word-left";
  if (isModified && final === "~" && first === "3") return "delete-word-right";
  return final === "~" ? NUMBERED[first] : FINALS[final];
}

function command(name: KeyName): Key {
  return { type: "command", name };
}

function named(name: KeyName | undefined): Key | undefined {
  return name === undefined ? undefined : command(name);
}

const CONTROLS: Readonly<Record<string, KeyName>> = {
  "\u0001": "line-start",
  "\u0002": "left",
  "\u0003": "interrupt",
  "\u0004": "delete-or-leave",
  "\u0005": "line-end",
  "\u0006": "right",
  "\u0008": "backspace",
  "\u0009": "tab",
  "\u000a": "newline",
  "\u000b": "kill-to-end",
  "\u000c": "redraw",
  "\u000d": "enter",
  "\u000e": "down",
  "\u0010": "up",
  "\u0015": "kill-to-start",
  "\u0017": "delete-word-left",
  "\u0019": "yank",
  "\u001a": "suspend",
  "\u007f": "backspace",
};

const FINALS: Readonly<Record<string, KeyName>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "line-end",
  H: "line-start",
  M: "enter",
};

const NUMBERED: Readonly<Record<string, KeyName>> = {
  "1": "line-start",
  "3": "delete",
  "4": "line-end",
  "7": "line-start",
  "8": "line-end",
};

const WITH_ALT: Readonly<Record<string, KeyName>> = {
  "\r": "newline",
  "\n": "newline",
  b: "word-left",
  f: "word-right",
  d: "delete-word-right",
  "\u0008": "delete-word-left",
  "\u007f": "delete-word-left",
};
