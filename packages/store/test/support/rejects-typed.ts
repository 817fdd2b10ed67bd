import { isLonghandError, type LonghandError } from "../../src/index.ts";

/** For what may be refused in more than one way: an error of ours, whatever its code. */
export async function rejectsTyped(promise: Promise<unknown>): Promise<LonghandError> {
  const error = await refusalOf(promise);
  if (error === undefined) throw new Error("expected a LonghandError, but it went through");
  return error;
}

/** `undefined`: it went through. Another's error is a failure of the test. */
export async function refusalOf(promise: Promise<unknown>): Promise<LonghandError | undefined> {
  try {
    await promise;
    return undefined;
  } catch (error) {
    if (isLonghandError(error)) return error;
    throw new Error(`expected a LonghandError, but got ${String(error)}`, { cause: error });
  }
}
