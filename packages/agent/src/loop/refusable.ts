/** A message to an actor of the loop that wants to know if nobody will ever handle it. */

export interface Refusable {
  refuse(): void;
}

export function refuse(message: unknown): void {
  if (typeof message !== "object" || message === null || !("refuse" in message)) return;
  if (typeof message.refuse === "function") (message as Refusable).refuse();
}
