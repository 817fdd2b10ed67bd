/** What to do about a damaged place. Whoever is told to run a repair must gain by it. */

import type { Damage } from "@longhand/store";
import type { ToPaste } from "../terminal/command-to-paste.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import { permissionRemedy } from "../terminal/permission-remedy.ts";

const MENDABLE = "put the file back from a backup if you have one, or mend it (the damaged bytes are kept)";

/** `damage`: as verify has found it, which knows what a repair leaves alone. */
export function damageRemedy({ file, key, left, notPermitted }: Damage, toPaste: ToPaste): string {
  if (notPermitted === true) return permissionRemedy(file);
  if (left !== undefined) return `a repair leaves it as it is, with every byte in place: ${left}`;
  const command = toPaste("repair", key);
  return `the records around it are served and appends go on; ${MENDABLE}: ${command}`;
}

/** Of a whole file that is not served. */
export function unreadableRemedy({ file, left, notPermitted }: Damage, toPaste: ToPaste): string {
  if (notPermitted === true) return permissionRemedy(file);
  if (left !== undefined) return leftRemedy(left, file);
  return `${MENDABLE}: ${toPaste("repair")}`;
}

/** Nobody is sent to a repair that has nothing to offer. */
function leftRemedy(left: string, file: string): string {
  return `a repair leaves it as it is, with every byte in place: ${left}: mv ${shellQuote(file)} ~/`;
}
