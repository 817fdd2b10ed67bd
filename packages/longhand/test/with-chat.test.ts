import { expect, test } from "vitest";
import { withChat } from "../src/with-chat.ts";
import { fakeOutput } from "./support/fake-world.ts";

function asked(words: string, terminals: { input?: boolean; output?: boolean } = {}): string {
  const { input = false, output = false } = terminals;
  const world = {
    input: {
      isTerminal: input,
      read: () => Promise.resolve(Buffer.alloc(0)),
      readLine: () => Promise.resolve(""),
    },
    output: fakeOutput({ isTerminal: output }),
  };
  return withChat(words === "" ? [] : words.split(" "), world).join(" ");
}

const onTerminal = { input: true, output: true };

test.each([
  ["", "chat"],
  ["--no-color", "--no-color chat"],
  ["--home /h", "--home /h chat"],
  ["--home=/h --sessions /s", "--home=/h --sessions /s chat"],
  // A directory that is called like an option or a command is still a directory.
  ["--home -m", "--home -m chat"],
  ["--workspace list", "--workspace list chat"],
])("on a terminal longhand %s is a chat", (words, expected) => {
  expect(asked(words, onTerminal)).toBe(expected);
});

test("over a pipe it is a chat, or the help if the pipe is empty", () => {
  for (const terminals of [{}, { output: true }]) {
    expect(asked("", terminals)).toBe("chat --or-help");
    expect(asked("--home /h", terminals)).toBe("--home /h chat --or-help");
  }
});

test("where somebody types and sees nothing it is the help", () => {
  expect(asked("", { input: true })).toBe("");
});

test.each([
  ["-m hello", "chat -m hello"],
  ["-mhello", "chat -mhello"],
  ["--message=hello", "chat --message=hello"],
  ["--continue", "chat --continue"],
  ["-c --json", "chat -c --json"],
  ["--model offline -m hi", "chat --model offline -m hi"],
  ["--agent b", "chat --agent b"],
  ["--json", "chat --json"],
  ["--json -m hi", "chat --json -m hi"],
  ["--home /h -m hi", "--home /h chat -m hi"],
])("longhand %s is a chat anywhere", (words, expected) => {
  expect(asked(words)).toBe(expected);
  expect(asked(words, onTerminal)).toBe(expected);
});

test.each([
  ...["list", "chat -m hi", "--version", "-h", "help chat", "--json list", "--mesage hi", "--models x"],
  ...["context k --model x", "--home /h show last", "-- -m", "append k -m"],
])("longhand %s is left as it is", (words) => {
  expect(asked(words, onTerminal)).toBe(words);
});
