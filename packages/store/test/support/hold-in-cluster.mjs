/** A cluster whose only worker is hold-store.mjs, with the parameters and the stdio of this one. */

import cluster from "node:cluster";
import { fileURLToPath } from "node:url";

cluster.setupPrimary({
  exec: fileURLToPath(new URL("hold-store.mjs", import.meta.url)),
  args: process.argv.slice(2),
});
cluster.fork();
