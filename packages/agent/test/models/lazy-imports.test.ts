/** Importing the package loads no provider: they are large, and most programs need one of them at most. Needs the build. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const packageFile = (path: string): string => new URL(`../../${path}`, import.meta.url).href;
const DOORS = ["index", "kernel", "settings"].map((name) => packageFile(`dist/${name}.js`));
/** Compiled, not bundled. */
const MODELS = ["choose-model", "from-ai-sdk", "ask-model", "find-local-model"].map((name) =>
  packageFile(`build/models/${name}.js`),
);

const HOOKS = `
  import { writeSync } from "node:fs";
  export async function resolve(specifier, context, next) {
    const resolved = await next(specifier, context);
    writeSync(2, "LOADED " + resolved.url + "\\n");
    return resolved;
  }`;
const dataUrl = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;
const REGISTER = dataUrl(
  `import { register } from "node:module"; register(${JSON.stringify(dataUrl(HOOKS))});`,
);

/** Addresses of all modules that a process has loaded after importing these. */
async function loadedBy(modules: readonly string[]): Promise<readonly string[]> {
  const program = `for (const url of ${JSON.stringify(modules)}) await import(url);`;
  const run = await promisify(execFile)(
    process.execPath,
    ["--import", REGISTER, "--input-type=module", "-e", program],
    {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return run.stderr.split("\n").filter((line) => line.startsWith("LOADED "));
}

const isProvider = (line: string): boolean => /node_modules\/(@ai-sdk|ollama-ai-provider|ai\/)/.test(line);

test("the doors and the models load no provider", async () => {
  const loaded = await loadedBy([...DOORS, ...MODELS]);
  expect(loaded.some((line) => line.includes("models/ollama.js"))).toBe(true);
  expect(loaded.filter(isProvider)).toEqual([]);
});

test("the door for configurations loads nothing but its own few files", async () => {
  const loaded = await loadedBy([packageFile("dist/settings.js")]);
  expect(loaded.length).toBeGreaterThan(1);
  expect(loaded.filter((line) => /node_modules|open-loop|choose-model/.test(line))).toEqual([]);
});

test("control: a provider that is loaded is seen", async () => {
  const loaded = await loadedBy([packageFile("build/models/prompted-tools.js"), "ollama-ai-provider-v2"]);
  expect(loaded.filter(isProvider).length).toBeGreaterThan(1);
});
