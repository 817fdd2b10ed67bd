import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

test("docs/testing-hosts.md shows the example as it is tested", async () => {
  const read = async (path: string): Promise<string> =>
    await readFile(new URL(path, import.meta.url), "utf8");
  const documented = /```ts\n(.*?)```/s.exec(await read("../../../../docs/testing-hosts.md"))?.[1];
  expect(documented).toBe(await read("./crash-example.test.ts"));
});
