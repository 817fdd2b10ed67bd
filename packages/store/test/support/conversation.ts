import type { Message, Session, SessionRecord } from "../../src/index.ts";

export function user(content: string): Message {
  return { role: "user", content };
}

/** The live view, as the texts of its messages. */
export async function contentsOf(session: Session): Promise<string[]> {
  return (await session.messages()).map(({ content }) => {
    if (typeof content === "string") return content;
    throw new Error("only for messages whose content is text");
  });
}

export async function recordsOf(session: Session): Promise<SessionRecord[]> {
  const records: SessionRecord[] = [];
  for await (const record of session.records()) records.push(record);
  return records;
}
