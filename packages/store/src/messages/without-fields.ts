/** A copy without these fields. */
export function withoutFields<T extends object, F extends string>(
  value: T,
  ...fields: readonly F[]
): Omit<T, F> {
  const kept = Object.entries(value).filter(([field]) => !fields.some((each) => each === field));
  return Object.fromEntries(kept) as Omit<T, F>;
}
