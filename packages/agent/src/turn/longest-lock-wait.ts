/** Milliseconds in line for a session on which another process works; a turn there may take its time. Then SESSION_LOCKED. */
export const LONGEST_LOCK_WAIT = 600_000;
