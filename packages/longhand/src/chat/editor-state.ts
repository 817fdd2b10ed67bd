/** The line that is being written, as a pure state machine: a key in, the next state out. */

import {
  lineEnd,
  lineStart,
  nextGrapheme,
  nextWord,
  previousGrapheme,
  previousWord,
  sameColumn,
} from "./editor-motions.ts";
import type { Key, KeyName } from "./keys.ts";

export interface EditorState {
  /** May have line ends in it. */
  readonly text: string;
  /** Before which character; counted as JavaScript counts. */
  readonly cursor: number;
  /** What was deleted last by more than a character: for yank. */
  readonly killed: string;
  /** Oldest first. */
  readonly history: readonly string[];
  /** The place in the history that is shown; its length: the line itself. */
  readonly place: number;
  /** The line itself, while something older is shown. */
  readonly draft: string;
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
  return { text: "", cursor: 0, killed: "", history, place: history.length, draft: "" };
}

/** The same editor with another text in its line, and the cursor behind it. */
export function withText(state: EditorState, text: string): EditorState {
  return { ...state, text, cursor: text.length, place: state.history.length, draft: "" };
}

export function pressKey(state: EditorState, key: Key): Edited {
  return key.type === "command" ? pressCommand(state, key.name) : { state: insert(state, key.text) };
}

function pressCommand(state: EditorState, name: KeyName): Edited {
  const { text, cursor } = state;
  const moveTo = (place: number): Edited => ({ state: { ...state, cursor: place } });
  switch (name) {
    case "enter":
      return enter(state);
    case "newline":
      return { state: insert(state, "\n") };
    case "tab":
      return { state, request: { type: "complete" } };
    case "left":
      return moveTo(previousGrapheme(text, cursor));
    case "right":
      return moveTo(nextGrapheme(text, cursor));
    case "word-left":
      return moveTo(previousWord(text, cursor));
    case "word-right":
      return moveTo(nextWord(text, cursor));
    case "line-start":
      return moveTo(lineStart(text, cursor));
    case "line-end":
      return moveTo(lineEnd(text, cursor));
    case "up":
      return { state: up(state) };
    case "down":
      return { state: down(state) };
    case "backspace":
      return { state: remove(state, previousGrapheme(text, cursor), cursor) };
    case "delete":
      return { state: remove(state, cursor, nextGrapheme(text, cursor)) };
    case "delete-word-left":
      return { state: kill(state, previousWord(text, cursor), cursor) };
    case "delete-word-right":
      return { state: kill(state, cursor, nextWord(text, cursor)) };
    case "kill-to-start":
      return { state: kill(state, lineStart(text, cursor), cursor) };
    case "kill-to-end":
      return { state: kill(state, cursor, lineEnd(text, cursor)) };
    case "yank":
      return { state: insert(state, state.killed) };
    case "delete-or-leave":
      if (text === "") return { state, request: { type: "leave" } };
      return { state: remove(state, cursor, nextGrapheme(text, cursor)) };
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

function insert(state: EditorState, added: string): EditorState {
  const { text, cursor } = state;
  return {
    ...state,
    text: text.slice(0, cursor) + added + text.slice(cursor),
    cursor: cursor + added.length,
  };
}

function remove(state: EditorState, from: number, to: number): EditorState {
  return { ...state, text: state.text.slice(0, from) + state.text.slice(to), cursor: from };
}

function kill(state: EditorState, from: number, to: number): EditorState {
  return from === to ? state : { ...remove(state, from, to), killed: state.text.slice(from, to) };
}

/** A backslash at the end goes on with the next line. */
function enter(state: EditorState): Edited {
  const { text, cursor, history } = state;
  if (cursor === text.length && text.endsWith("\\")) {
    return { state: insert(remove(state, cursor - 1, cursor), "\n") };
  }
  if (text.trim() === "") return { state: withText(state, "") };
  const kept = history.at(-1) === text ? history : [...history, text];
  return { state: { ...emptyEditor(kept), killed: state.killed }, request: { type: "submit", text } };
}

/** A line up; from the first line into the history. */
function up(state: EditorState): EditorState {
  const { text, cursor, place, history, draft } = state;
  const begin = lineStart(text, cursor);
  if (begin > 0) return { ...state, cursor: sameColumn(text, cursor, begin - 1) };
  const older = history[place - 1];
  if (older === undefined) return { ...state, cursor: 0 };
  return {
    ...state,
    text: older,
    cursor: older.length,
    place: place - 1,
    draft: place === history.length ? text : draft,
  };
}

function down(state: EditorState): EditorState {
  const { text, cursor, place, history, draft } = state;
  const end = lineEnd(text, cursor);
  if (end < text.length) return { ...state, cursor: sameColumn(text, cursor, end + 1) };
  if (place >= history.length) return { ...state, cursor: text.length };
  const newer = history[place + 1] ?? draft;
  return { ...state, text: newer, cursor: newer.length, place: place + 1 };
}
