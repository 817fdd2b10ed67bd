/** The directories that a command works with, and why each of them was chosen. */

export interface Place {
  readonly path: string;
  readonly source: "option" | "environment" | "current" | "default" | "account" | "temporary" | "older";
  /** For a person: what decided it. */
  readonly why: string;
}

export interface WorkspacePlace extends Place {
  /** Without links; what its state is named for. */
  readonly real: string;
  /** The directory in the home that holds its record, sessions and memory. */
  readonly state: string;
}

export interface Places {
  readonly home: Place;
  readonly workspace: WorkspacePlace;
  readonly sessions: Place;
  readonly memory: Place;
}

export interface PlaceOptions {
  readonly home?: string;
  readonly workspace?: string;
  readonly sessions?: string;
  readonly memory?: string;
}
