/**
 * What is typed in a chat: the line itself, its history, and, while a tool asks something, the answer to that. What somebody was
 * writing when a question came is neither lost nor taken for the answer: only a yes or a no, with Enter, answers it.
 */

import { KeyDecoder } from "./decode-keys.ts";
import { type EditorRequest, type EditorState, emptyEditor, pressKey, withText } from "./editor-state.ts";
import type { EditorText } from "./editor-text.ts";
import { InputHistory } from "./input-history.ts";
import type { Key } from "./keys.ts";
import { yesOrNo } from "./questions.ts";

export interface InputListener {
  /** Something else is to be drawn. */
  changed(): void;
  problem(problem: string): void;
  /** A question is on the screen. */
  isAsked(): boolean;
  answered(isYes: boolean): void;
  submitted(text: string): void;
  interrupted(): void;
  left(): void;
  /** Tab: what the line becomes. */
  completed(text: string): string;
  redrawn(): void;
  suspended(): void;
}

/** Long enough for the rest of a sequence over a slow line, short enough to be no wait. */
const ESCAPE_MILLISECONDS = 50;

export class ChatInput {
  readonly #listener: InputListener;
  readonly #history: InputHistory;
  readonly #decoder = new KeyDecoder();
  #line: EditorState = emptyEditor([]);
  #answer: EditorState = emptyEditor([]);
  #escapeTimer: NodeJS.Timeout | undefined;

  constructor(historyFile: string | undefined, listener: InputListener) {
    this.#listener = listener;
    this.#history = new InputHistory(historyFile, (problem) => listener.problem(problem));
  }

  get shown(): EditorText {
    return this.#listener.isAsked() ? this.#answer.text : this.#line.text;
  }

  get isEmpty(): boolean {
    return this.#line.text.length === 0;
  }

  /** What was typed meanwhile stays. */
  async begin(): Promise<void> {
    const history = [...(await this.#history.read()), ...this.#line.history];
    this.#line = { ...this.#line, history, place: history.length };
    this.#listener.changed();
  }

  take(chunk: Uint8Array): void {
    clearTimeout(this.#escapeTimer);
    for (const key of this.#decoder.decode(chunk)) this.#press(key);
    if (this.#decoder.isWaiting) {
      this.#escapeTimer = setTimeout(() => {
        for (const key of this.#decoder.giveUpWaiting()) this.#press(key);
      }, ESCAPE_MILLISECONDS);
    }
    this.#listener.changed();
  }

  /** Before what is in the line. */
  putBack(texts: readonly string[]): void {
    if (texts.length === 0) return;
    const text = this.#line.text.toString();
    this.#line = withText(this.#line, [...texts, ...(text === "" ? [] : [text])].join("\n"));
    this.#listener.changed();
  }

  /** `false`: there was nothing in the line. Ctrl-Y brings it back. */
  clear(): boolean {
    const text = this.#line.text.toString();
    if (text === "") return false;
    this.#line = { ...withText(this.#line, ""), killed: text };
    this.#listener.changed();
    return true;
  }

  /** No key does anything any more. */
  stop(): void {
    clearTimeout(this.#escapeTimer);
  }

  async close(): Promise<void> {
    await this.#history.close();
  }

  #press(key: Key): void {
    if (this.#listener.isAsked()) {
      this.#pressAsked(key);
      return;
    }
    const { state, request } = pressKey(this.#line, key);
    this.#line = state;
    if (request !== undefined) this.#do(request);
  }

  #pressAsked(key: Key): void {
    const isEnter = key.type === "command" && key.name === "enter";
    const answer = isEnter ? yesOrNo(this.#answer.text.toString()) : undefined;
    if (answer !== undefined) {
      this.#answer = emptyEditor([]);
      this.#listener.answered(answer);
      return;
    }
    const { state, request } = pressKey(this.#answer, key);
    this.#answer = state;
    if (request === undefined || request.type === "complete") return;
    if (request.type === "submit") this.#wasNoAnswer(request.text);
    else this.#do(request);
  }

  /** Somebody was in the middle of something else: it goes to the line that they were writing. */
  #wasNoAnswer(text: string): void {
    this.#answer = emptyEditor([]);
    this.#line = withText(this.#line, this.#line.text.toString() + text);
    this.#listener.problem("please answer yes or no; what you typed is in the line again afterwards");
  }

  #do(request: EditorRequest): void {
    switch (request.type) {
      case "submit":
        this.#history.add(request.text);
        this.#listener.submitted(request.text);
        return;
      case "interrupt":
        this.#answer = emptyEditor([]);
        this.#listener.interrupted();
        return;
      case "leave":
        this.#listener.left();
        return;
      case "complete":
        this.#line = withText(this.#line, this.#listener.completed(this.#line.text.toString()));
        return;
      case "redraw":
        this.#listener.redrawn();
        return;
      case "suspend":
        this.#listener.suspended();
    }
  }
}
