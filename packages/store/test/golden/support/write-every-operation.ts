/** Stores that hold what every operation leaves on the disk: several files, compressed ones, forks, drops, the archive and the trash. */

import { jsonlBackend, openStore, type Message } from "../../../src/index.ts";

const user = (content: string): Message => ({ role: "user", content });

/** `variant` changes the lengths, and with them where files end. */
export async function writeEveryOperation(directory: string, variant: number): Promise<void> {
  const store = await openStore(jsonlBackend(directory, { segmentBytes: 900 + 100 * variant }));
  const session = store.session("chat:1");
  for (let number = 1; number <= 8; number++)
    await session.append(user(`${"word ".repeat(variant)}${number}`));
  await session.append([user("call"), user("result"), { role: "assistant", content: "Grüße 🙂" }], {
    id: "turn",
  });
  await session.rewind({ messages: 1 });
  await session.setTitle("A title");
  await session.setTags(["work", "größe"]);
  await session.note("usage", { tokens: 14 });
  await session.setSummary("so far");
  await session.truncate({ keepLast: 4 });
  const { seq } = await session.compact({ summary: "shorter", keepFrom: 9 });
  await session.append(user("after the cut"));
  await session.undoCut(seq);
  await session.rewind({ to: 6 });
  await session.append(user("another way"));
  await session.fork("child");
  await session.fork("early", { at: 5 });
  await store.session("early").append([user("own"), user("more")]);
  await store.session("plain").append(user("one"));
  await store.session("plain").replace([user("new one"), user("new two")], { summary: "replaced" });
  await store.session("dropped").append(user("first"));
  for (let number = 1; number <= 24; number++)
    await store.session("dropped").append(user(`message ${number} of a long one`));
  await store.reclaim({ keys: ["dropped"], drop: { before: 13 } });
  for (const key of ["archived", "trashed"]) {
    await store.session(key).append([user("put"), user("away")]);
    await (key === "archived" ? store.session(key).archive() : store.session(key).delete());
  }
  await store.reclaim();
  await store.session("chat:1").append(user("the last"));
  await store.close();
}
