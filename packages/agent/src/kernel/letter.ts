/** A message on its way to an actor. */

import { AgentError } from "../errors.ts";
import { withDeadline } from "./with-deadline.ts";
import type { Answer } from "./types.ts";

export interface Letter<M> {
  readonly message: M;
  /** Tells the one who asked that no answer will come. Absent: nobody asked. */
  readonly refuse?: (error: Error) => void;
}

/** Makes a letter of a question, has it posted, and waits for the answer; see ActorRef.ask. */
export async function askByLetter<M, A>(
  name: string,
  question: (answer: Answer<A>) => M,
  post: (letter: Letter<M>, signal: AbortSignal) => Promise<void>,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<A> {
  const work = (inTime: AbortSignal): Promise<A> =>
    new Promise((resolve, reject) => {
      const answer = Object.assign(
        (value: A): void => {
          resolve(value);
        },
        {
          fail: (error: unknown): void => {
            reject(error instanceof Error ? error : new Error(String(error), { cause: error }));
          },
        },
      );
      post({ message: question(answer), refuse: reject }, inTime).catch(reject);
    });
  return await withDeadline(deadline, work, {
    ...(signal === undefined ? {} : { signal }),
    timedOut: () =>
      new AgentError(
        "NO_ANSWER",
        `${name} did not answer within ${deadline} ms; it may still do what it was asked`,
        {
          actor: name,
          deadline,
        },
      ),
  });
}
