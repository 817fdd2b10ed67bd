/** A place among those who wait for one lease. Whoever came first takes it first, unless he does not take his turn. */

import type { LeaseFiles, Ticket } from "./lease-files.ts";
import type { OtherInstances } from "./other-instances.ts";
import type { LeaseName } from "../format/layout.ts";

/** Who has his turn and does not take it for so long is passed over: it may be a stopped process. */
const TURN = 250;

export class PlaceInLine {
  readonly #leaseFiles: LeaseFiles;
  readonly #otherInstances: OtherInstances;
  readonly #name: LeaseName;
  readonly #ticket: Ticket;
  #hasTicket = false;
  /** Whose turn it is, and for how long we had waited when it became his. */
  #turn: { readonly id: string; readonly since: number } | undefined;
  readonly #passedOver = new Set<string>();

  constructor(leaseFiles: LeaseFiles, otherInstances: OtherInstances, name: LeaseName, ticket: Ticket) {
    this.#leaseFiles = leaseFiles;
    this.#otherInstances = otherInstances;
    this.#name = name;
    this.#ticket = ticket;
  }

  async enter(): Promise<void> {
    if (this.#hasTicket) return;
    this.#hasTicket = true;
    await this.#leaseFiles.putTicket(this.#name, this.#ticket);
  }

  async leave(): Promise<void> {
    if (!this.#hasTicket) return;
    await this.#leaseFiles.removeTicket(this.#name, this.#ticket);
    this.#hasTicket = false;
  }

  /** Somebody has the lease: it is nobody's turn. */
  noTurn(): void {
    this.#turn = undefined;
  }

  /** Whose turn it is while the lease is free; `undefined`: ours. `waited`: how long we have waited in all. */
  async before(tickets: readonly Ticket[], waited: number): Promise<Ticket | undefined> {
    for (const ticket of tickets) {
      if (ticket.id === this.#ticket.id) return undefined;
      if (this.#passedOver.has(ticket.id)) continue;
      if (await this.#isNobodys(ticket)) {
        await this.#leaseFiles.removeTicket(this.#name, ticket);
        continue;
      }
      if (this.#turn?.id !== ticket.id) this.#turn = { id: ticket.id, since: waited };
      if (waited - this.#turn.since < TURN) return ticket;
      this.#passedOver.add(ticket.id);
    }
    return undefined;
  }

  /** An instance waits once for a lease, so another ticket of ours is one that could not be removed. */
  async #isNobodys({ instance }: Ticket): Promise<boolean> {
    return instance === this.#ticket.instance || (await this.#otherInstances.hasEnded(instance));
  }
}
