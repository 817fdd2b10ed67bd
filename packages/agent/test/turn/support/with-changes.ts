import type { Session } from "@longhand/store";

/** The session, but for what is given instead. */
export function withChanges(session: Session, changes: Partial<Session>): Session {
  return new Proxy(session, {
    get: (target, field) => {
      const changed: unknown = Reflect.get(changes, field);
      if (changed !== undefined) return changed;
      const value: unknown = Reflect.get(target, field, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
