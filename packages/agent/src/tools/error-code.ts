/** Of an error of Node, as ENOENT. `undefined`: it is none, or has none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
