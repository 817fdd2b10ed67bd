/** The constants of the line format. They are part of what is on people's disks: docs/format.md explains them. */

export const FORMAT_VERSION = 1;

/** One message, encoded as JSON. Images pass; a runaway tool result does not. */
export const MAX_MESSAGE_BYTES: number = 64 * 1024 * 1024;

/** One atomic batch, so that a block of the journal stays a size that memory can hold. */
export const MAX_BATCH_BYTES: number = 256 * 1024 * 1024;

/** A line longer than this was not written by us: it is passed over as damage without being held in memory. */
export const MAX_LINE_BYTES: number = MAX_MESSAGE_BYTES + 64 * 1024;

/** No session gets there; beyond it the next number could not be told from the last. */
export const MAX_SEQ: number = 2 ** 52;

/** Of a file of a session: each seal and each repair takes the next numbers. */
export const MAX_FILE_NUMBER: number = 2 ** 52;

/** How many of the newest records an append with an `id` is compared with. */
export const REMEMBERED_RECORDS = 1000;

/** Of how many kinds of notes the state knows the newest. */
export const REMEMBERED_KINDS = 32;

export const MAX_ID_LENGTH = 256;

export const NEWLINE = 0x0a;
