/** What is said to the agent from a chat: a message of its own, or a word to the answer that is being given. */

import type { Conversation } from "@longhand/agent";
import type { ChatNotes } from "./chat-notes.ts";
import { spokenText } from "./spoken-text.ts";

export interface SpeechSurroundings {
  readonly conversation: () => Conversation;
  readonly notes: ChatNotes;
  /** The words could not be kept: they go back to who said them. */
  readonly putBack: (text: string) => void;
}

export class Speech {
  readonly #surroundings: SpeechSurroundings;
  /** Of the message that is being answered. What is said to it meanwhile may become a turn of its own. */
  #saying: { readonly signal: AbortSignal; readonly steering: Promise<void>[] } | undefined;

  constructor(surroundings: SpeechSurroundings) {
    this.#surroundings = surroundings;
  }

  /** Resolves when it is answered, and all that was said to it meanwhile. */
  async say(text: string, signal: AbortSignal): Promise<void> {
    const saying = { signal, steering: [] as Promise<void>[] };
    this.#saying = saying;
    this.#surroundings.notes.echo(text);
    await this.#tell(spokenText(text), signal, "wait");
    // More may be said while the last of it is waited for.
    for (const steering of saying.steering) await steering;
    this.#saying = undefined;
  }

  /** `false`: nothing is being answered. */
  steer(text: string): boolean {
    if (this.#saying === undefined) return false;
    this.#surroundings.notes.print(`» ${text}`, "cyan");
    this.#saying.steering.push(this.#tell(text, this.#saying.signal, "steer"));
    return true;
  }

  async #tell(text: string, signal: AbortSignal, whenBusy: "wait" | "steer"): Promise<void> {
    const { conversation, notes, putBack } = this.#surroundings;
    try {
      await conversation().say({ text }, { signal, whenBusy });
    } catch (error) {
      notes.failure(error);
      notes.print("· it was not kept; your words are back in the line", "yellow");
      putBack(text);
    }
  }
}
