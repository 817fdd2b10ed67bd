import { randomInt } from "node:crypto";
import type { Store } from "@longhand/store";

const SUFFIX_VALUES = 36 ** 4;

/**
 * For a conversation without a name: `chat:2026-11-15-192412-k3x0`, in local time. The random part keeps conversations apart that
 * several processes begin in the same second.
 */
export async function newKey(
  store: Store,
  now: Date,
  random: (below: number) => number = randomInt,
): Promise<string> {
  const digits = (value: number): string => String(value).padStart(2, "0");
  const day = [now.getFullYear(), digits(now.getMonth() + 1), digits(now.getDate())].join("-");
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(digits).join("");
  for (;;) {
    const suffix = random(SUFFIX_VALUES).toString(36).padStart(4, "0");
    const key = `chat:${day}-${time}-${suffix}`;
    if (!(await store.session(key).exists())) return key;
  }
}
