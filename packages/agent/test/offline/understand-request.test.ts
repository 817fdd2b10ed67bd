import { describe, expect, test } from "vitest";
import { understandRequest } from "../../src/offline/understand-request.ts";

const call = (tool: string, given: Readonly<Record<string, string>>): unknown => ({
  kind: "call",
  tool,
  arguments: given,
});

describe("understands", () => {
  test.each([
    ["list the files", "list_dir", { path: "." }],
    ["Please list the files.", "list_dir", { path: "." }],
    ["ls", "list_dir", { path: "." }],
    ["show me the files", "list_dir", { path: "." }],
    ["which files are there?", "list_dir", { path: "." }],
    ["Could you list all the files in src, please?", "list_dir", { path: "src" }],
    ["list the files in the folder src/parts", "list_dir", { path: "src/parts" }],
    ["list the files in ..", "list_dir", { path: ".." }],
    ['list the files in "my papers"', "list_dir", { path: "my papers" }],
    ["ls src", "list_dir", { path: "src" }],
    ["list the skills", "load_skill", {}],
    ["Please use the skill meeting-notes.", "load_skill", { name: "meeting-notes" }],
    ["load skill meeting-notes", "load_skill", { name: "meeting-notes" }],
    ["read notes.txt", "read_file", { path: "notes.txt" }],
    ["read the file notes.txt.", "read_file", { path: "notes.txt" }],
    ["Show me the contents of notes.txt", "read_file", { path: "notes.txt" }],
    ["cat LICENSE", "read_file", { path: "LICENSE" }],
    ["read `my notes.txt`", "read_file", { path: "my notes.txt" }],
    ["write hello to notes.txt", "write_file", { path: "notes.txt", content: "hello" }],
    [
      "write Hi there, mum. To you! to a.txt",
      "write_file",
      { path: "a.txt", content: "Hi there, mum. To you!" },
    ],
    ['write "hello, you" to notes.txt', "write_file", { path: "notes.txt", content: "hello, you" }],
    ['write "a" and "b" to x.md', "write_file", { path: "x.md", content: '"a" and "b"' }],
    ["write hello to “notes”", "write_file", { path: "notes", content: "hello" }],
    ["write notes.txt: one\ntwo  three \n", "write_file", { path: "notes.txt", content: "one\ntwo  three" }],
    ["create notes.txt with hello!", "write_file", { path: "notes.txt", content: "hello!" }],
    [
      "create a file called a/b with the words: hello please",
      "write_file",
      { path: "a/b", content: "hello please" },
    ],
    ["create a.txt with the text of a song", "write_file", { path: "a.txt", content: "the text of a song" }],
    ["create a.py with:\n```python\nprint(1)\n```", "write_file", { path: "a.py", content: "print(1)\n" }],
    ["run ls -la | head -1", "exec", { command: "ls -la | head -1" }],
    ["run `date`", "exec", { command: "date" }],
    ["Execute the command: echo 'a b'?", "exec", { command: "echo 'a b'?" }],
    ["what did I say about the quarterly report?", "recall", { query: "quarterly report" }],
    ["recall lunch in Rome", "recall", { query: "lunch Rome" }],
    ["What do you know about Ann?", "recall", { query: "Ann" }],
    ["remember that I like tea.", "remember", { text: "I like tea." }],
    ["Remember: the door code is 1234!", "remember", { text: "the door code is 1234!" }],
  ])("%s", (said, tool, given) => {
    expect(understandRequest(said)).toEqual(call(tool, given));
  });

  test.each(["help", "Help!", "hi", "", "  ", "what can you do?"])("%j as a call for help", (said) => {
    expect(understandRequest(said)).toEqual({ kind: "help" });
  });

  test("what do you know about me", () => {
    expect(understandRequest("What do you know about me?")).toEqual({ kind: "known" });
  });
});

describe("does not guess", () => {
  test.each([
    "read me a story",
    "what is the weather",
    "list the files and then delete them all",
    "delete notes.txt",
    "I ran home",
    "recall",
    "recall the",
    "running late",
    "write",
  ])("%s", (said) => {
    expect(understandRequest(said)).toEqual({ kind: "unclear" });
  });

  test.each(["write a letter to mum", "write note: buy milk"])("%s: whether that is a file", (said) => {
    expect(understandRequest(said)).toMatchObject({
      kind: "unclear",
      hint: expect.stringContaining("quotes") as string,
    });
  });
});

test("texts made to be slow are not", () => {
  const size = 300_000;
  for (const piece of [" ", "a", "write ", " to ", '"', "`", "list ", "a:", "please ", "?", "\n"]) {
    for (const before of ["", "write ", "list the files in ", "recall ", "create "]) {
      for (const after of ["", "x", " to "]) {
        expect(understandRequest(before + piece.repeat(size / piece.length) + after).kind).toMatch(
          /^[a-z]+$/,
        );
      }
    }
  }
});
