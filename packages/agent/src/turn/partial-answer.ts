/**
 * What was shown of an answer, on its way to the disk: a note at most a second after the first word that is in none yet. Each
 * word is in one note only, so that the notes cost little more than the answer; the message at the end stands for all of them.
 */

import type { Session } from "@longhand/store";
import { FlushTimer } from "../kernel/flush-timer.ts";
import { PART_NOTE } from "./turn-log.ts";

/** A second, less the time that a write takes. */
const FLUSH_AFTER = 900;

type Kind = "text" | "reasoning";

export class PartialAnswer {
  text = "";
  reasoning = "";
  readonly #session: Session;
  readonly #onFailure: (error: unknown) => void;
  readonly #timer: FlushTimer = new FlushTimer(FLUSH_AFTER, () => this.#flush());
  #pending: { readonly kind: Kind; text: string }[] = [];
  #writing: Promise<void> | undefined;
  #isDue = false;
  #failure: { readonly error: unknown } | undefined;

  /** `onFailure`: nothing more can be kept, so nothing more should be shown. */
  constructor(session: Session, onFailure: (error: unknown) => void) {
    this.#session = session;
    this.#onFailure = onFailure;
  }

  get wasShown(): boolean {
    return this.text !== "" || this.reasoning !== "";
  }

  add(kind: Kind, text: string): void {
    this[kind] += text;
    const last = this.#pending.at(-1);
    if (last?.kind === kind) last.text += text;
    else this.#pending.push({ kind, text });
    this.#timer.arm();
  }

  /** No more notes, and none in flight. Never rejects. */
  async settle(): Promise<void> {
    this.#timer.cancel();
    this.#isDue = false;
    await this.#writing;
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #flush(): void {
    if (this.#writing !== undefined) {
      this.#isDue = true;
      return;
    }
    const parts = this.#pending;
    this.#pending = [];
    if (parts.length > 0) this.#writing = this.#write(parts);
  }

  async #write(parts: readonly { readonly kind: Kind; readonly text: string }[]): Promise<void> {
    try {
      for (const { kind, text } of parts) await this.#session.note(PART_NOTE, { [kind]: text });
    } catch (error) {
      this.#failure = { error };
      this.#onFailure(error);
    }
    this.#writing = undefined;
    if (!this.#isDue) return;
    this.#isDue = false;
    this.#flush();
  }
}
