/** The line that is being written, as a pure state machine: a key in, the next state out. */

import {
  graphemeAfter,
  graphemeBefore,
  lineAbove,
  lineBelow,
  wordAfter,
  wordBefore,
} from "./editor-motions.ts";
import { EditorText } from "./editor-text.ts";
import type { Key, KeyName } from "./keys.ts";

export interface EditorState {
  /** With the cursor. May have line ends in it. */
  readonly text: EditorText;
  /** What was deleted last by more than a character: for yank. */
  readonly killed: string;
  /** Oldest first. */
  readonly history: readonly string[];
  /** The place in the history that is shown; its length: the line itself. */
  readonly place: number;
  /** The line itself, while something older is shown. */
  readonly draft: EditorText;
}

/** What the editor cannot do by itself. */
export type EditorRequest =
  | { readonly type: "submit"; readonly text: string }
  | { readonly type: "interrupt" | "leave" | "complete" | "redraw" | "suspend" };

export interface Edited {
  readonly state: EditorState;
  readonly request?: EditorRequest;
}

export function emptyEditor(history: readonly string[]): EditorState {
  const text = EditorText.empty;
  return { text, killed: "", history, place: history.length, draft: text };
}

/** The same editor with another text in its line, and the cursor behind it. */
export function withText(state: EditorState, text: string): EditorState {
  return {
    ...state,
    text: EditorText.of(text),
    place: state.history.length,
    draft: EditorText.empty,
  };
}

export function pressKey(state: EditorState, key: Key): Edited {
  if (key.type === "command") return pressCommand(state, key.name);
  return { state: { ...state, text: state.text.insert(key.text) } };
}

function pressCommand(state: EditorState, name: KeyName): Edited {
  const { text } = state;
  const become = (next: EditorText): Edited => ({ state: { ...state, text: next } });
  switch (name) {
    case "enter":
      return enter(state);
    case "newline":
      return become(text.insert("\n"));
    case "tab":
      return { state, request: { type: "complete" } };
    case "left":
      return become(text.move(-graphemeBefore(text)));
    case "right":
      return become(text.move(graphemeAfter(text)));
    case "word-left":
      return become(text.move(-wordBefore(text)));
    case "word-right":
      return become(text.move(wordAfter(text)));
    case "line-start":
      return become(text.move(-text.lineBefore));
    case "line-end":
      return become(text.move(text.lineAfter));
    case "up":
      return { state: up(state) };
    case "down":
      return { state: down(state) };
    case "backspace":
      return become(text.removeBefore(graphemeBefore(text)));
    case "delete":
      return become(text.removeAfter(graphemeAfter(text)));
    case "delete-word-left":
      return { state: killBefore(state, wordBefore(text)) };
    case "delete-word-right":
      return { state: killAfter(state, wordAfter(text)) };
    case "kill-to-start":
      return { state: killBefore(state, text.lineBefore) };
    case "kill-to-end":
      return { state: killAfter(state, text.lineAfter) };
    case "yank":
      return become(text.insert(state.killed));
    case "delete-or-leave":
      if (text.length === 0) return { state, request: { type: "leave" } };
      return become(text.removeAfter(graphemeAfter(text)));
    case "interrupt":
      return { state, request: { type: "interrupt" } };
    case "redraw":
      return { state, request: { type: "redraw" } };
    case "suspend":
      return { state, request: { type: "suspend" } };
    case "escape":
      return { state };
  }
}

function killBefore(state: EditorState, units: number): EditorState {
  if (units === 0) return state;
  const { text } = state;
  return { ...state, text: text.removeBefore(units), killed: text.textBefore(units) };
}

function killAfter(state: EditorState, units: number): EditorState {
  if (units === 0) return state;
  const { text } = state;
  return { ...state, text: text.removeAfter(units), killed: text.textAfter(units) };
}

/** A backslash at the end goes on with the next line. */
function enter(state: EditorState): Edited {
  const { text, history, killed } = state;
  if (text.after === undefined && text.textBefore(1) === "\\")
    return { state: { ...state, text: text.removeBefore(1).insert("\n") } };
  const sent = text.toString();
  if (sent.trim() === "") return { state: withText(state, "") };
  const kept = history.at(-1) === sent ? history : [...history, sent];
  return { state: { ...emptyEditor(kept), killed }, request: { type: "submit", text: sent } };
}

/** A line up; from the first line into the history. */
function up(state: EditorState): EditorState {
  const { text, place, history, draft } = state;
  const above = lineAbove(text);
  if (above !== undefined) return { ...state, text: above };
  const older = history[place - 1];
  if (older === undefined) return { ...state, text: text.move(-text.cursor) };
  return {
    ...state,
    text: EditorText.of(older),
    place: place - 1,
    draft: place === history.length ? text : draft,
  };
}

function down(state: EditorState): EditorState {
  const { text, place, history, draft } = state;
  const below = lineBelow(text);
  if (below !== undefined) return { ...state, text: below };
  if (place >= history.length) return { ...state, text: text.move(text.lineAfter) };
  const newer = history[place + 1];
  return {
    ...state,
    text: newer === undefined ? draft.move(draft.length) : EditorText.of(newer),
    place: place + 1,
  };
}
