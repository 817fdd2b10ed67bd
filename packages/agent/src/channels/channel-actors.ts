/**
 * One actor for each channel, there as long as the channel has something in hand. It begins what it is told in the order it is told
 * and waits for none of it: that one conversation has one turn at a time is the conversation's business.
 */

import type { ActorRef, Kernel } from "../kernel/types.ts";

export interface Job {
  readonly channel: string;
  /** Never rejects. */
  run(): Promise<void>;
}

interface Channel {
  readonly actor: ActorRef<Job>;
  /** Jobs given to it and not over. */
  inHand: number;
}

export class ChannelActors {
  readonly #kernel: Kernel;
  readonly #channels = new Map<string, Channel>();
  #begun = 0;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  /** Resolves when the channel has it; `over` is called when the job is done. */
  async give(job: Job, over: () => void): Promise<void> {
    const channel = this.#channels.get(job.channel) ?? this.#begin(job.channel);
    channel.inHand += 1;
    const run = async (): Promise<void> => {
      await job.run();
      this.#over(job.channel, channel);
      over();
    };
    await channel.actor.send({ channel: job.channel, run });
  }

  #begin(name: string): Channel {
    // One that is about to end may still have its name.
    this.#begun += 1;
    const actor = this.#kernel.spawn<Job>({ name: `channel ${name} ${this.#begun}` }, () => ({
      receive: (job) => {
        void job.run();
      },
    }));
    const channel = { actor, inHand: 0 };
    this.#channels.set(name, channel);
    return channel;
  }

  #over(name: string, channel: Channel): void {
    channel.inHand -= 1;
    if (channel.inHand > 0) return;
    this.#channels.delete(name);
    void channel.actor.stop();
  }
}
