import type { Store } from "@longhand/store";

/** For a conversation that nobody has named: `chat:2026-11-15-192412`, in local time, and one that is not in use. */
export async function newKey(store: Store, now: Date): Promise<string> {
  const digits = (value: number): string => String(value).padStart(2, "0");
  const day = [now.getFullYear(), digits(now.getMonth() + 1), digits(now.getDate())].join("-");
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(digits).join("");
  const key = `chat:${day}-${time}`;
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? key : `${key}-${number}`;
    if (!(await store.session(candidate).exists())) return candidate;
  }
}
