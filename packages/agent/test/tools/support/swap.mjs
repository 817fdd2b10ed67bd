// Swaps the directory NAME for a link to TARGET and back, for as long as it lives.
import { renameSync, symlinkSync, unlinkSync } from "node:fs";

const [name, target] = process.argv.slice(2);
process.stdout.write("swapping\n");
for (;;) {
  renameSync(name, `${name}-away`);
  symlinkSync(target, name);
  unlinkSync(name);
  renameSync(`${name}-away`, name);
}
