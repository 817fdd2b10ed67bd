/** TypeScript to JavaScript, file by file, as the build does it. */

import type ts from "typescript";

/** Loaded when it is needed: in a copy of the proof there is no compiler. */
async function compiler(): Promise<typeof ts> {
  return (await import("typescript")).default;
}

/** `undefined`: it is here. */
export async function whyNoCompiler(): Promise<string | undefined> {
  try {
    await compiler();
    return undefined;
  } catch {
    return "the package typescript is not installed";
  }
}

/** Throws if `text` does not compile. */
export async function transpile(root: string, file: string, text: string): Promise<string> {
  const {
    transpileModule,
    readConfigFile,
    convertCompilerOptionsFromJson,
    flattenDiagnosticMessageText,
    sys,
  } = await compiler();
  const base = `${root}/tsconfig.base.json`;
  const { config } = readConfigFile(base, (path) => sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = convertCompilerOptionsFromJson(
    { ...config.compilerOptions, ...JAVASCRIPT_ONLY },
    root,
    base,
  );
  const { outputText, diagnostics = [] } = transpileModule(text, {
    compilerOptions: options,
    fileName: `${root}/packages/store/src/${file}`,
    reportDiagnostics: true,
  });
  const [wrong] = diagnostics;
  if (wrong !== undefined)
    throw new Error(`${file} does not compile: ${flattenDiagnosticMessageText(wrong.messageText, "\n")}`);
  return outputText;
}

/** What a file is, the build learns from the package around it; alone it must be told. */
const JAVASCRIPT_ONLY = {
  module: "ESNext",
  moduleResolution: "Bundler",
  composite: false,
  declaration: false,
  isolatedDeclarations: false,
  sourceMap: false,
  inlineSources: false,
};
