/**
 * Bundles what `tsc -b` left in packages/NAME/build into packages/NAME/dist: one file per door, and chunks for what doors
 * share and for what is loaded on demand. One run per package, so that every door sees the same classes.
 *
 *     node tools/bundle.mjs [NAME ...]     default: all packages
 *
 * Only files whose content changed are written: a program that runs from dist keeps working while the same build runs again.
 */

import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Files that are started, not imported, so that package.json does not export them. */
const PROGRAMS = { longhand: ["main", "tour/writer"] };

/**
 * Packages whose code goes into the bundle: `longhand --help` loads them, and as CommonJS in several files they take a third of its
 * time. They stay dependencies, for their types.
 */
const BUNDLED = { longhand: ["commander", "picocolors"] };

/**
 * Without these, whatever a set of doors and lazy modules shares is a chunk of its own, and each file costs a start about half a
 * millisecond. A chunk holds what `of` imports, directly and indirectly, without what is loaded on demand; with `alsoOf`, only
 * what one of those imports too. A module belongs to the first chunk that it fits.
 */
const CHUNKS = {
  store: [
    { name: "pure", of: "index", alsoOf: ["messages"] },
    { name: "host", of: "index", alsoOf: ["context"] },
    { name: "store", of: "index" },
  ],
  agent: [{ name: "kernel", of: "kernel" }],
  longhand: [{ name: "start", of: "main" }],
};

/** The declarations, which tsc writes there itself. */
const TYPES = "types";

const names = process.argv.slice(2);
for (const name of names.length > 0 ? names : ["store", "agent", "longhand"]) await bundle(name);

async function bundle(name) {
  const root = join(ROOT, "packages", name);
  const build = join(root, "build");
  const input = {};
  for (const [door, source] of await doorsOf(root)) input[door] = join(build, `${source}.js`);
  for (const program of PROGRAMS[name] ?? []) input[program] = join(build, `${program}.js`);
  const bundledPackages = BUNDLED[name] ?? [];
  const bundled = await rolldown({
    input,
    platform: "node",
    external: (id) => (/^[^./]/.test(id) && !bundledPackages.includes(id)) || isBuiltin(id),
    plugins: [keepModuleUrls(build)],
    // How long a plugin took depends on the machine.
    checks: { pluginTimings: false },
    onLog: (level, { message }) => {
      if (level === "warn") throw new Error(`${name}: ${message}`);
    },
  });
  const { output } = await bundled.generate({
    format: "esm",
    comments: false,
    entryFileNames: "[name].js",
    // With a hash: a program that runs while it is updated fails to load a chunk, and never loads one of another version.
    chunkFileNames: "[name]-[hash].js",
    codeSplitting: { groups: chunkGroups(CHUNKS[name], input) },
  });
  await bundled.close();
  const files = new Map(output.map(({ fileName, code }) => [fileName, code]));
  if (bundledPackages.length > 0) files.set("THIRD-PARTY-LICENSES", await licencesOf(bundledPackages));
  await writeFiles(join(root, "dist"), files);
}

/** The first chunks have the highest priority: a chunk also takes the dependencies of its modules, unless an earlier one has them. */
function chunkGroups(chunks, input) {
  const entries = new Set(Object.values(input));
  const closures = new Map();
  const closureOf = (start, context) => {
    let closure = closures.get(start);
    if (closure === undefined) {
      closure = new Set([start]);
      for (const id of closure) {
        for (const imported of context.getModuleInfo(id)?.importedIds ?? []) closure.add(imported);
      }
      closures.set(start, closure);
    }
    return closure;
  };
  return chunks.map(({ name, of, alsoOf }, index) => ({
    debugName: name,
    priority: chunks.length - index,
    name: (id, context) => {
      // An entry stays a file of its own: a lazy chunk that imported the program, which awaits it, would wait forever.
      if (entries.has(id)) return null;
      const isOf = (entry) => closureOf(input[entry], context).has(id);
      const fits = isOf(of) && (alsoOf === undefined || alsoOf.some(isOf));
      return fits ? name : null;
    },
  }));
}

/** [file in dist, module in build] of each door, both without `.js`; package.json names the module by its declarations. */
async function doorsOf(root) {
  const { exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return Object.values(exports).map((door) => [
    /^\.\/dist\/(.+)\.js$/.exec(door.default)[1],
    /^\.\/dist\/types\/(.+)\.d\.ts$/.exec(door.types)[1],
  ]);
}

/**
 * `import.meta.url` of a bundled module would be the URL of its chunk. It becomes the URL the module would have if dist were
 * not bundled, so that `new URL("../x", import.meta.url)` means the same in build and in dist. Every chunk that holds such a
 * module must lie directly in dist.
 */
function keepModuleUrls(build) {
  return {
    name: "keep-module-urls",
    transform(code, id) {
      if (!code.includes("import.meta.url")) return undefined;
      const url = `new URL(${JSON.stringify(`./${relative(build, id)}`)}, import.meta.url).href`;
      return { code: code.replaceAll("import.meta.url", url) };
    },
    renderChunk(code, chunk) {
      if (code.includes("import.meta.url") && chunk.fileName.includes("/"))
        throw new Error(`${chunk.fileName} uses import.meta.url and does not lie directly in dist`);
    },
  };
}

async function licencesOf(packages) {
  const texts = packages.map(async (name) => {
    const licence = await readFile(join(ROOT, "node_modules", name, "LICENSE"), "utf8");
    return `${name}\n\n${licence.trim()}\n`;
  });
  return (await Promise.all(texts)).join("\n");
}

/** Makes these the only files in dist, besides the declarations. */
async function writeFiles(dist, files) {
  const written = new Set();
  for (const [name, text] of files) {
    const path = join(dist, name);
    written.add(path);
    if ((await readFile(path, "utf8").catch(() => undefined)) === text) continue;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  for (const entry of await readdir(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isType = relative(dist, path).startsWith(`${TYPES}/`);
    if (entry.isFile() && !isType && !written.has(path)) await rm(path);
  }
}
