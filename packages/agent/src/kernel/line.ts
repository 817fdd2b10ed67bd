/** A waiting line: in at the back, out at the front or from the middle, each at the same cost however long it is. */

export interface Place<T> {
  readonly value: T;
  before: Place<T> | undefined;
  behind: Place<T> | undefined;
  isIn: boolean;
}

export class Line<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  join(value: T): Place<T> {
    const place: Place<T> = { value, before: this.#last, behind: undefined, isIn: true };
    if (this.#last === undefined) this.#first = place;
    else this.#last.behind = place;
    this.#last = place;
    this.#size += 1;
    return place;
  }

  /** The first one, out of the line. `undefined`: nobody waits. */
  next(): Place<T> | undefined {
    const place = this.#first;
    if (place !== undefined) this.leave(place);
    return place;
  }

  /** Does nothing if it has left already. */
  leave(place: Place<T>): void {
    if (!place.isIn) return;
    place.isIn = false;
    if (place.before === undefined) this.#first = place.behind;
    else place.before.behind = place.behind;
    if (place.behind === undefined) this.#last = place.before;
    else place.behind.before = place.before;
    place.before = undefined;
    place.behind = undefined;
    this.#size -= 1;
  }

  /** All of them in order; the line is empty then. */
  empty(): T[] {
    const values: T[] = [];
    for (let place = this.next(); place !== undefined; place = this.next()) values.push(place.value);
    return values;
  }
}
