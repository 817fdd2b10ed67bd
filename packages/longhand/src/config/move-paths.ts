/** Names that a move to another file system uses until it is done. Pure. */

/** Where the original is, in the same directory, until its copy is in place. */
export function setAsidePath(from: string): string {
  return `${from}.moved`;
}

/** Where the copy is until it is complete: in the home, where no tool can create it. */
export function copyPath(to: string): string {
  return `${to}.moving`;
}
