/** What a journal has lost of a session's file: damaged blocks between a record and the one before it of the same file. */
export interface LostBefore {
  /** Of those blocks: the records in them were shorter. */
  readonly bytes: number;
  /** Where in the session's file the record before them ends. `undefined`: the journal has none. */
  readonly from: number | undefined;
}
