/** The tools that come with the agent, over one workspace. */

import { editFileTool } from "./edit-file.ts";
import { execTool } from "./exec.ts";
import { listDirTool } from "./list-dir.ts";
import { PathGuard } from "./path-guard.ts";
import { readFileTool } from "./read-file.ts";
import { recallTool, type MemorySourceOfTools } from "./recall.ts";
import type { Redact } from "./redact-and-cut.ts";
import { rememberTool } from "./remember.ts";
import type { CommandLimits, NoSandbox, Sandbox } from "./sandbox.ts";
import type { Tool } from "./tool.ts";
import { writeFileTool } from "./write-file.ts";

export interface BuiltInToolsOptions {
  /** The only directory in which they write. */
  readonly workspace: string;
  /** Neither read nor written by any of them, besides what always is: sessions, memory, secrets at other places in the workspace. */
  readonly protectedPaths?: readonly string[];
  /** From findSandbox. */
  readonly sandbox: Sandbox | NoSandbox;
  /** Without it there is no recall and no remember. */
  readonly memory?: MemorySourceOfTools;
  readonly execLimits?: Partial<CommandLimits>;
  /** Hides secrets in what is too long before it is cut: half of one would not be recognised later. @default nothing is hidden */
  readonly redact?: Redact;
}

/** OPTION_INVALID: a protected path contains the workspace. */
export function builtInTools(options: BuiltInToolsOptions): readonly Tool[] {
  const { workspace, protectedPaths = [], sandbox, memory, execLimits, redact } = options;
  const guard = new PathGuard(workspace, protectedPaths);
  return [
    readFileTool(guard, redact),
    writeFileTool(guard),
    editFileTool(guard),
    listDirTool(guard),
    execTool({
      workspace,
      hiddenPaths: protectedPaths,
      sandbox,
      redact,
      ...(execLimits === undefined ? {} : { limits: execLimits }),
    }),
    ...(memory === undefined ? [] : [recallTool(memory), rememberTool(memory)]),
  ];
}
