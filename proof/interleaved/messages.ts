import type { FoundMessage } from "../oracle/judge-history.ts";

export function isBeginning(beginning: readonly FoundMessage[], whole: readonly FoundMessage[]): boolean {
  return beginning.every(
    ({ seq, content }, index) => whole[index]?.seq === seq && whole[index].content === content,
  );
}

export function tellMessages(messages: readonly (FoundMessage | string)[]): string {
  const short = messages.map((message) =>
    typeof message === "string"
      ? message.slice(0, 12)
      : `${message.seq}:${message.content.split(" ")[0] ?? ""}`,
  );
  return `[${short.join(", ")}]`;
}
