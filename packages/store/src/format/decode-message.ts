/**
 * The record of a message, from the bytes of a line as this version writes it: nearly every line of a session. The fields before
 * the message are read from their places; the message itself becomes a string when it is asked for.
 */

import type { BatchPosition, Body, Entry } from "./entry.ts";
import type { EncodedText } from "./line-checksum.ts";

const SEQ = Buffer.from('{"seq":');
const AT = Buffer.from(',"at":"');
const AT_LENGTH = "2026-11-18T00:00:00.000Z".length;
const BATCH = Buffer.from(',"batch":[');
const ID = Buffer.from(',"id":"');
const MESSAGE = Buffer.from(',"message":');
/** So many digits are below MAX_SEQ whatever they are. */
const MAX_DIGITS = 15;
const [COMMA, ZERO, NINE, QUOTE, BRACKET, BACKSLASH, SPACE] = [0x2c, 0x30, 0x39, 0x22, 0x5d, 0x5c, 0x20];
/** Digits, "-", ":", ".", "T" and "Z" lie in between; a quote and a backslash do not. */
const [AT_LOWEST, AT_HIGHEST] = [0x2d, 0x5a];

/** `checked`: a line without its checksum. `undefined`: it holds anything else, or in another form. */
export function decodeMessage(checked: EncodedText): Entry | undefined {
  const { buffer, start, end, encoding } = checked;
  const seqStart = start + SEQ.length;
  if (!isAt(buffer, SEQ, start) || buffer[seqStart] === ZERO) return undefined;
  const seqEnd = digitsEnd(buffer, seqStart);
  if (seqEnd === -1 || !isAt(buffer, AT, seqEnd)) return undefined;
  const atStart = seqEnd + AT.length;
  const at = timeAt(buffer, atStart);
  if (at === undefined || buffer[atStart + AT_LENGTH] !== QUOTE) return undefined;
  const seq = numberIn(buffer, seqStart, seqEnd);
  let next = atStart + AT_LENGTH + 1;
  let index = 0;
  let size = 0;
  if (isAt(buffer, BATCH, next)) {
    const indexStart = next + BATCH.length;
    const indexEnd = digitsEnd(buffer, indexStart);
    if (indexEnd === -1 || buffer[indexEnd] !== COMMA) return undefined;
    const sizeEnd = digitsEnd(buffer, indexEnd + 1);
    if (sizeEnd === -1 || buffer[sizeEnd] !== BRACKET) return undefined;
    index = numberIn(buffer, indexStart, indexEnd);
    size = numberIn(buffer, indexEnd + 1, sizeEnd);
    // As no batch is written; what it means is decided by others.
    if (size === 0) return undefined;
    next = sizeEnd + 1;
  }
  let id: string | undefined;
  if (isAt(buffer, ID, next)) {
    const idStart = next + ID.length;
    const idEnd = plainStringEnd(buffer, idStart, end);
    if (idEnd === -1) return undefined;
    id = buffer.toString(encoding, idStart, idEnd);
    next = idEnd + 1;
  }
  const bodyStart = next + MESSAGE.length;
  if (bodyStart > end || !isAt(buffer, MESSAGE, next)) return undefined;
  const message = new MessageInLine(seq, at, index, size, buffer, bodyStart, end, encoding);
  return id === undefined ? message : Object.assign(message, { id });
}

/** An entry that is still bytes. Keeps those that were read with it in memory as long as it is there itself. */
class MessageInLine implements Entry {
  readonly seq: number;
  readonly at: string;
  readonly #index: number;
  /** 0: it is in no batch. */
  readonly #size: number;
  readonly #buffer: Buffer;
  readonly #start: number;
  readonly #end: number;
  readonly #encoding: EncodedText["encoding"];

  constructor(
    seq: number,
    at: string,
    index: number,
    size: number,
    buffer: Buffer,
    start: number,
    end: number,
    encoding: EncodedText["encoding"],
  ) {
    this.seq = seq;
    this.at = at;
    this.#index = index;
    this.#size = size;
    this.#buffer = buffer;
    this.#start = start;
    this.#end = end;
    this.#encoding = encoding;
  }

  get batch(): BatchPosition | undefined {
    return this.#size === 0 ? undefined : { index: this.#index, size: this.#size };
  }

  get body(): MessageBody {
    return new BodyInLine(this);
  }

  json(): string {
    return this.#buffer.toString(this.#encoding, this.#start, this.#end);
  }
}

type MessageBody = Extract<Body, { readonly op: "message" }>;

/** Becomes text when somebody asks for it. */
class BodyInLine implements MessageBody {
  readonly op = "message";
  readonly #message: MessageInLine;

  constructor(message: MessageInLine) {
    this.#message = message;
  }

  get json(): string {
    return this.#message.json();
  }
}

function isAt(buffer: Buffer, expected: Buffer, at: number): boolean {
  for (let index = 0; index < expected.length; index++) {
    if (buffer[at + index] !== expected[index]) return false;
  }
  return true;
}

/** Behind the digits that begin at `from`; -1: there are none, or too many. */
function digitsEnd(buffer: Buffer, from: number): number {
  let end = from;
  for (let byte = buffer[end] ?? 0; byte >= ZERO && byte <= NINE; byte = buffer[end] ?? 0) end++;
  return end === from || end - from > MAX_DIGITS ? -1 : end;
}

function numberIn(buffer: Buffer, from: number, to: number): number {
  let number = 0;
  for (let index = from; index < to; index++) number = number * 10 + (buffer[index] ?? ZERO) - ZERO;
  return number;
}

/** Of the quote behind a JSON string that means what it says; -1: something in it is escaped, or it does not end. */
function plainStringEnd(buffer: Buffer, from: number, limit: number): number {
  for (let index = from; index < limit; index++) {
    const byte = buffer[index] ?? 0;
    if (byte === QUOTE) return index;
    if (byte === BACKSLASH || byte < SPACE) return -1;
  }
  return -1;
}

/** Lines that were written together have the same. */
let lastTime = "";

function timeAt(buffer: Buffer, from: number): string | undefined {
  let isLast = lastTime !== "";
  for (let index = 0; index < AT_LENGTH; index++) {
    const byte = buffer[from + index] ?? 0;
    if (byte < AT_LOWEST || byte > AT_HIGHEST) return undefined;
    isLast &&= lastTime.charCodeAt(index) === byte;
  }
  if (!isLast) lastTime = buffer.toString("latin1", from, from + AT_LENGTH);
  return lastTime;
}
