/** The same object with some methods of its own. */
export function override<T extends object>(real: T, own: Partial<T>): T {
  return new Proxy(real, {
    get: (_, name) => {
      const value: unknown = Reflect.get(Object.hasOwn(own, name) ? own : real, name);
      return typeof value === "function" ? (value.bind(real) as unknown) : value;
    },
  });
}
