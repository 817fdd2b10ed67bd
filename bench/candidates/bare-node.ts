/** Node itself, without any store: what starting a process costs. */

import type { Candidate } from "../candidate.ts";
import { BareFileDriver } from "./bare-file.ts";

export const bareNode: Candidate = {
  name: "bare-node",
  title: "bare node",
  isDurable: false,
  load: async () => await Promise.resolve(new BareFileDriver()),
};
