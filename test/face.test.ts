import { join } from "node:path";
import { expect, test } from "vitest";
import { findTypeErrors } from "./support/compile.ts";
import { readProjectFile, ROOT } from "./support/project.ts";

const ENTRY = join(ROOT, "test/support/face-matches.ts");
const FACE = join(ROOT, "test/support/face.ts");

test("@longhand/store has the face that others program against", () => {
  expect(findTypeErrors(ENTRY)).toEqual([]);
});

/** Had the face been this instead, the package would not match it: each must be noticed. */
test.each([
  ["an operation is missing", "exists(): Promise<boolean>;", "exists(): Promise<boolean>; more(): void;"],
  [
    "a parameter takes less",
    "append(message: M | readonly M[],",
    "append(message: M | readonly M[] | string,",
  ],
  ["an option is missing", "limit?: number; keys?:", "limit?: number; page?: number; keys?:"],
  ["an option has another name", "{ keepLast: number }", "{ keepNewest: number }"],
  [
    "a result has another type",
    "messages(options?: { last?: number; from?: number; to?: number }): Promise<M[]>",
    "messages(): Promise<Set<M>>",
  ],
  ["a field is missing", "readonly damaged: number;", ""],
  ["an optional field is missing", "readonly title?: string;\n  readonly tags: ", "readonly tags: "],
  ["an error code is missing", '| "DISK_FULL"', ""],
  ["an error code is new", '| "DISK_FULL"', '| "DISK_FULL" | "DISK_SLOW"'],
  ["a kind of record is missing", '| Numbered<{ readonly op: "rewind"; readonly to: number }>', ""],
  [
    "the seeds' contract differs",
    "listSessions(): Promise<string[]>",
    "listSessions(): Promise<readonly string[]>",
  ],
])("notices when %s", (_, from, to) => {
  const face = readProjectFile("test/support/face.ts");
  expect(face).toContain(from);
  const errors = findTypeErrors(ENTRY, { [FACE]: face.replace(from, to) });
  expect(errors).not.toEqual([]);
  for (const error of errors) expect(error).toContain("face-matches.ts");
});
