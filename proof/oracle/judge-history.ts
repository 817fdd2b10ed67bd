/**
 * What was asked of a store by one or many writers, what it answered, and whether what is found afterwards fits: each
 * acknowledged write is there, whole, once, at the seq it was given; nothing refused is; an unanswered one is there whole
 * or not at all; and there is nothing that nobody wrote.
 */

export interface AttemptedWrite {
  readonly key: string;
  /** Each content is written once in the whole history: it is what a message is known by. */
  readonly contents: readonly string[];
  readonly answer:
    | { readonly kind: "acknowledged"; /** Of the last message. */ readonly seq: number }
    /** An error that says that nothing was written. */
    | { readonly kind: "refused" }
    /** No answer before the crash, or an error that leaves it open. */
    | { readonly kind: "unknown" };
}

export interface FoundMessage {
  readonly seq: number;
  readonly content: string;
}

/** `writes` in the order in which each writer made them. `undefined` is a pass; a string says what is wrong. */
export function judgeHistory(
  writes: readonly AttemptedWrite[],
  found: ReadonlyMap<string, readonly FoundMessage[]>,
): string | undefined {
  const writesByContent = new Map(
    writes.flatMap((write) => write.contents.map((content) => [content, write] as const)),
  );
  for (const [key, messages] of found) {
    const wrong = judgeMessages(key, messages, writesByContent);
    if (wrong !== undefined) return `${key}: ${wrong}`;
  }
  for (const { key, contents, answer } of writes) {
    if (answer.kind !== "acknowledged") continue;
    const messages = found.get(key) ?? [];
    const last = messages.find(({ seq }) => seq === answer.seq);
    if (last?.content !== contents.at(-1)) {
      return `${key}: ${tell(contents)} was acknowledged with seq ${answer.seq}; there is ${tell(last && [last.content])}`;
    }
  }
  return undefined;
}

function judgeMessages(
  key: string,
  messages: readonly FoundMessage[],
  writesByContent: ReadonlyMap<string, AttemptedWrite>,
): string | undefined {
  const seen = new Set<string>();
  let lastSeq = 0;
  for (let at = 0; at < messages.length;) {
    const first = messages[at];
    const write = first && writesByContent.get(first.content);
    if (first === undefined || write?.key !== key)
      return `${tell(first && [first.content])} was never written here`;
    const there = messages.slice(at, at + write.contents.length);
    const isWhole = write.contents.every((content, index) => there[index]?.content === content);
    const isUnbroken = there.every(({ seq }, index) => seq === first.seq + index);
    if (!isWhole || !isUnbroken)
      return `only a part of ${tell(write.contents)} is there, or not in one piece`;
    if (write.answer.kind === "refused") return `${tell(write.contents)} was refused and is there`;
    if (seen.has(first.content)) return `${tell(write.contents)} is there twice`;
    if (first.seq <= lastSeq) return `seq ${first.seq} comes after seq ${lastSeq}`;
    seen.add(first.content);
    lastSeq = first.seq + there.length - 1;
    at += there.length;
  }
  return undefined;
}

function tell(contents: readonly string[] | undefined): string {
  return contents === undefined ? "nothing" : JSON.stringify(contents.map((content) => content.slice(0, 60)));
}
