/** Type-checks files with the tests' own compiler options; a file may be given as text instead of being on the disk. */

import { join } from "node:path";
import ts from "typescript";
import { ROOT } from "./project.ts";

/** Parsing the library files takes most of the time, and they are the same for everyone. */
const parsed = new Map<string, ts.SourceFile | undefined>();

/** The errors, each with its place; `texts` by absolute path, where they go before what is on the disk. */
export function findTypeErrors(entry: string, texts: Readonly<Record<string, string>> = {}): string[] {
  const options = readOptions();
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => Object.hasOwn(texts, path) || disk.fileExists(path),
    readFile: (path) => texts[path] ?? disk.readFile(path),
    getSourceFile: (path, languageVersion) => {
      const text = texts[path];
      if (text !== undefined) return ts.createSourceFile(path, text, languageVersion, true);
      if (!parsed.has(path)) parsed.set(path, disk.getSourceFile(path, languageVersion));
      return parsed.get(path);
    },
  };
  const program = ts.createProgram([entry], options, host);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => {
    const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n");
    if (diagnostic.file === undefined || diagnostic.start === undefined) return message;
    const { line } = diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start);
    return `${diagnostic.file.fileName}:${line + 1}: ${message}`;
  });
}

function readOptions(): ts.CompilerOptions {
  const path = join(ROOT, "tsconfig.test.json");
  const { config } = ts.readConfigFile(path, (file) => ts.sys.readFile(file)) as { config: unknown };
  return ts.parseJsonConfigFileContent(config, ts.sys, ROOT).options;
}
