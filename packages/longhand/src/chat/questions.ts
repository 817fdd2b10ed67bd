/** Questions that a tool asks before it runs. One at a time is asked; one whose turn ends meanwhile is withdrawn, and refused. */

import type { ApprovalQuestion } from "@longhand/agent";

interface Asked {
  readonly question: ApprovalQuestion;
  readonly settle: (isYes: boolean) => void;
}

export interface QuestionsListener {
  changed(): void;
  /** Its turn has come. */
  asked(question: ApprovalQuestion): void;
}

export class Questions {
  readonly #listener: QuestionsListener;
  #asked: readonly Asked[] = [];

  constructor(listener: QuestionsListener) {
    this.#listener = listener;
  }

  get current(): ApprovalQuestion | undefined {
    return this.#asked[0]?.question;
  }

  async ask(question: ApprovalQuestion, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    return await new Promise<boolean>((resolve) => {
      const settle = (isYes: boolean): void => {
        signal.removeEventListener("abort", withdraw);
        this.#setAsked(this.#asked.filter((each) => each !== asked));
        resolve(isYes);
      };
      const withdraw = (): void => settle(false);
      const asked: Asked = { question, settle };
      signal.addEventListener("abort", withdraw, { once: true });
      this.#setAsked([...this.#asked, asked]);
    });
  }

  #setAsked(asked: readonly Asked[]): void {
    const before = this.current;
    this.#asked = asked;
    const { current } = this;
    if (current !== undefined && current !== before) this.#listener.asked(current);
    this.#listener.changed();
  }

  /** Of the one that is asked. */
  answer(isYes: boolean): void {
    this.#asked[0]?.settle(isYes);
  }

  refuseAll(): void {
    for (const { settle } of this.#asked) settle(false);
  }
}

/** `undefined`: neither yes nor no. Without a word it is no. */
export function yesOrNo(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === "y" || word === "yes") return true;
  return word === "" || word === "n" || word === "no" ? false : undefined;
}
