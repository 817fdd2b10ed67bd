import { spawn } from "node:child_process";

export interface CommandResult {
  /** `null`: ended by a signal. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end, without a terminal, with `input` on standard input. Whether it did well is the caller's to judge. */
export async function runCommand(
  command: string,
  args: readonly string[],
  directory: string,
  input = "",
): Promise<CommandResult> {
  const child = spawn(command, args, { cwd: directory, stdio: ["pipe", "pipe", "pipe"] });
  // EPIPE: the program ended without reading all of it, which is its own affair.
  child.stdin.on("error", () => undefined).end(input);
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => {
      resolve({ exitCode, stdout, stderr });
    });
  });
}

/** For steps that only prepare a test: anything but success throws, with what the program said. */
export async function mustRun(
  command: string,
  args: readonly string[],
  directory: string,
): Promise<CommandResult> {
  const result = await runCommand(command, args, directory);
  if (result.exitCode === 0) return result;
  const said = `${result.stdout}\n${result.stderr}`.trim();
  throw new Error(`${command} ${args.join(" ")} ended with ${String(result.exitCode)}:\n${said}`);
}
