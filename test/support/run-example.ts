import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "./project.ts";
import { runCommand, type CommandResult } from "./run-command.ts";

/** Runs a TypeScript program as a reader of the documents would: in an empty directory, with the built package. */
export async function runExample(program: string, directory: string, input = ""): Promise<CommandResult> {
  const installed = join(directory, "node_modules");
  await mkdir(join(installed, "@longhand"), { recursive: true });
  for (const name of ["store", "agent"])
    await symlink(join(ROOT, "packages", name), join(installed, "@longhand", name));
  await symlink(join(ROOT, "node_modules/zod"), join(installed, "zod"));
  const { outputText } = ts.transpileModule(program, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  await writeFile(join(directory, "example.mjs"), outputText);
  return await runCommand(process.execPath, ["example.mjs"], directory, input);
}
