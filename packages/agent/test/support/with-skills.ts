/** Directories with skills for tests. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export async function withDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "longhand-skills-"));
  try {
    await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Paths with their texts. */
export async function put(root: string, files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

export function skillText(
  name: string,
  description = `What ${name} does.`,
  body = `Body of ${name}.`,
): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;
}
