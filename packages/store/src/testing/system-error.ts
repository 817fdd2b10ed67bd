/**
 * An error as Node's file system throws it: with `code`, `syscall` and `path`, all three in its message, and without a
 * stack, which costs more than the rest of a simulated call.
 */
export function systemError(code: string, syscall: string, path: string): Error {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  const error = new Error(`${code}: ${syscall} '${path}'`);
  Error.stackTraceLimit = stackTraceLimit;
  return Object.assign(error, { code, syscall, path });
}
