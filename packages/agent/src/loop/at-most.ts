import { after } from "../kernel/after.ts";

/** Waits for `work`, but not longer than this. `false`: it was not done by then. */
export async function atMost(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let callOff = (): void => undefined;
  const late = new Promise<boolean>((resolve) => (callOff = after(milliseconds, () => resolve(false))));
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    callOff();
  }
}
