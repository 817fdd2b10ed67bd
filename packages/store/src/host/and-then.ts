/** For calls on a hot path: an answer of the host that is there is used at once, and only a promise is waited for. */

import type { Awaitable } from "./host.ts";

export function andThen<T, U>(answer: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return answer instanceof Promise ? answer.then(next) : next(answer);
}

/** What fails, at once or later, is answered by `recover`. */
export function orElse<T>(call: () => Awaitable<T>, recover: (cause: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const answer = call();
    return answer instanceof Promise ? answer.catch(recover) : answer;
  } catch (cause) {
    return recover(cause);
  }
}
