/** Services by name: started one after another, stopped in the opposite order, never two of these at the same time. */

import { AgentError } from "../errors.ts";
import { monotonicNow } from "./monotonic-clock.ts";
import type { Service } from "./types.ts";
import { withDeadline } from "./with-deadline.ts";

export class Services {
  /** Oldest first. */
  readonly #running: Service[] = [];
  #isClosed = false;
  #starting: Promise<void> = Promise.resolve();

  /** If one cannot start, those of this call that did are stopped again, and its error is thrown. */
  start(services: readonly Service[]): Promise<void> {
    const started = this.#starting.then(() => this.#startAll(services));
    this.#starting = started.catch(() => {});
    return started;
  }

  /** Stops all, whatever becomes of one of them, and answers with what went wrong. `due` is a time of the monotonic clock. */
  async stop(due: number): Promise<unknown[]> {
    this.#isClosed = true;
    const failures: unknown[] = [];
    const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
      const timedOut = (): Error => new AgentError("NO_ANSWER", `${what} in time`);
      await withDeadline(Math.max(due - monotonicNow(), 0), work, { timedOut }).catch((error: unknown) => {
        failures.push(error);
      });
    };
    await attempt("services that were starting did not finish", () => this.#starting);
    for (let service = this.#running.pop(); service !== undefined; service = this.#running.pop()) {
      const { name } = service;
      const stopping = service;
      await attempt(`the service ${name} did not stop`, () => stopping.stop());
    }
    return failures;
  }

  async #startAll(services: readonly Service[]): Promise<void> {
    const before = this.#running.length;
    try {
      for (const service of services) {
        if (this.#isClosed)
          throw new AgentError("ACTOR_STOPPED", `the kernel is closed; ${service.name} was not started`);
        if (this.#running.some(({ name }) => name === service.name)) {
          throw new AgentError("NAME_TAKEN", `a service ${service.name} runs already`, {
            name: service.name,
          });
        }
        await service.start();
        this.#running.push(service);
      }
    } catch (error) {
      const failures = await stopNewestFirst(this.#running.splice(before));
      if (failures.length === 0) throw error;
      throw new AggregateError(
        [error, ...failures],
        `${String(error)}; and not all that ran could be stopped`,
      );
    }
  }
}

async function stopNewestFirst(services: readonly Service[]): Promise<unknown[]> {
  const failures: unknown[] = [];
  for (const service of services.toReversed()) {
    try {
      await service.stop();
    } catch (error) {
      failures.push(error);
    }
  }
  return failures;
}
