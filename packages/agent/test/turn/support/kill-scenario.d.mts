import type { Session } from "@longhand/store";
import type { Mailbox } from "../../../src/kernel/mailbox.ts";
import type { Said, TurnSettings } from "../../../src/turn/types.ts";
import type { Message } from "@longhand/store";

export const KEY: string;
export const SAID: Said;
export const STEERED: Said;
export const EARLIER: readonly Message[];
export function scenario(around: {
  readonly effect: () => Promise<void> | void;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  readonly overflow: () => Error;
  readonly steering: Mailbox<Said>;
  readonly settings: Pick<TurnSettings, "events">;
}): TurnSettings;
export function watchWrites(
  session: Session,
  told: {
    readonly before: (number: number) => Promise<void> | void;
    readonly after: (number: number) => Promise<void> | void;
  },
): Session;
