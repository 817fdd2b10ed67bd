#!/usr/bin/env node
// In the repository from the beginning, so that `npm ci` can link the command before anything is built.
import { existsSync } from "node:fs";

const program = new URL("../dist/main.js", import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write("longhand: not built yet; run: npm run build\n");
  process.exitCode = 1;
}
