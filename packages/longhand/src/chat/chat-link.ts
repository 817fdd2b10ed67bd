/**
 * Between a loop and the chat that shows it: the loop is made first, with these functions, and the chat joins when it begins.
 * What comes before that: problems are kept until somebody can be told; a question that nobody can answer is refused.
 */

import type { AgentEvent, ApprovalQuestion } from "@longhand/agent";

/** As the loop reports them. */
export interface ChatProblem {
  readonly agent: string | undefined;
  readonly code: string;
  readonly message: string;
}

export interface ChatListener {
  event(event: AgentEvent): void;
  problem(problem: ChatProblem): void;
  /** `undefined`: there is nobody to ask. */
  readonly approve: ((question: ApprovalQuestion, signal: AbortSignal) => Promise<boolean>) | undefined;
}

export class ChatLink {
  #listener: ChatListener | undefined;
  #untold: ChatProblem[] = [];

  readonly events = (event: AgentEvent): void => this.#listener?.event(event);

  readonly onProblem = (problem: ChatProblem): void => {
    if (this.#listener === undefined) this.#untold.push(problem);
    else this.#listener.problem(problem);
  };

  readonly approve = async (question: ApprovalQuestion, signal: AbortSignal): Promise<boolean> =>
    (await this.#listener?.approve?.(question, signal)) ?? false;

  /** Until the function that is returned is called. */
  join(listener: ChatListener): () => void {
    this.#listener = listener;
    const untold = this.#untold;
    this.#untold = [];
    for (const problem of untold) listener.problem(problem);
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }
}
