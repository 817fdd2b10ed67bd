/** The control: messages with forged checksums, judged as if nobody had forged them. */

import { SeededRandom } from "@longhand/store/testing";
import { Violation } from "../part.ts";
import { sessionCorpus } from "./corpora.ts";
import { judgeFuzzed } from "./judge-fuzzed.ts";
import { mutateFile } from "./mutate-file.ts";

const TRIES = 20;

export async function judgeForgedControl(): Promise<void> {
  const random = new SeededRandom(1);
  const { sample, files } = await sessionCorpus(random);
  for (let left = TRIES; left > 0; left--) {
    const forged = files.map((file) => mutateFile(file, file, random, true));
    const wrong = await judgeFuzzed({
      ...sample,
      files: forged,
      isForged: false,
      isWritten: false,
      keys: [...sample.idOf.keys()],
    });
    if (wrong !== undefined) throw new Violation(wrong);
  }
}
