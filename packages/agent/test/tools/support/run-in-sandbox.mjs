// Runs a command in the sandbox, by the built package: WORKSPACE COMMAND.
import { EXEC_LIMITS, findSandbox } from "../../../build/tools/sandbox.js";

const [workspace, command] = process.argv.slice(2);
const sandbox = await findSandbox();
const { signal } = new AbortController();
await sandbox.run({ command, workspace, hiddenPaths: [], limits: EXEC_LIMITS, signal });
