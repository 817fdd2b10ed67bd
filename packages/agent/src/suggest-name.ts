/** The name that somebody probably meant. */

/** `undefined`: none is near enough. Case, hyphens and underscores do not count: maxSteps is near to max_steps. */
export function suggestName(given: string, names: readonly string[]): string | undefined {
  const plain = plainOf(given);
  if (plain.length > 100) return undefined;
  let best: string | undefined;
  let least = Math.max(1, Math.floor(plain.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(plain, plainOf(name));
    if (distance >= least) continue;
    least = distance;
    best = name;
  }
  return best;
}

function plainOf(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}

/** Levenshtein's, where two letters that changed places are one mistake. */
function editDistance(one: string, other: string): number {
  let above: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let index = 0; index < one.length; index += 1) {
    const next = [index + 1];
    for (let column = 0; column < other.length; column += 1) {
      const replaced = at(row, column) + (one[index] === other[column] ? 0 : 1);
      const isSwapped =
        index > 0 && column > 0 && one[index] === other[column - 1] && one[index - 1] === other[column];
      const swapped = isSwapped ? at(above, column - 1) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, at(row, column + 1) + 1, at(next, column) + 1));
    }
    above = row;
    row = next;
  }
  return at(row, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? 0;
}
