/** A store of some sessions made by chance: long and short, sealed, compressed, forked, put away; sometimes killed. */

import type { Session } from "@longhand/store";
import type { SeededRandom } from "@longhand/store/testing";
import { buildSample, message, type SampleStore } from "../damage/sample-store.ts";

const KEYS = ["a", "Größe:1", "telegram:123456", "long"];
const STEPS = 60;

export async function largerStore(random: SeededRandom): Promise<SampleStore> {
  const options = {
    seed: random.below(2 ** 32),
    segmentBytes: 1500 + random.below(6000),
    journalBytes: 1000 + random.below(20_000),
    isKilled: random.below(2) === 0,
  };
  return await buildSample("larger", options, async ({ store, remember, holdBack }) => {
    for (let step = 0; step < STEPS; step++) {
      const key = KEYS[random.below(KEYS.length)] ?? "a";
      await takeStep(store.session(key), random, step);
      if (step === STEPS / 2) await store.reclaim();
    }
    await store.session("a").append(message("so that there is one"));
    await store.session("a").fork("child", { at: 1 + random.below(1) });
    await store.session("thrown").append(message("thrown"));
    await remember("thrown");
    await store.session("thrown").delete();
    await store.session("kept").append(message("kept"));
    await store.session("kept").archive();
    await store.session("last").append(message("so that its lease is there"));
    if (options.isKilled) holdBack();
    for (let step = 0; step < 5; step++) await store.session("last").append(message(`last ${step}`));
  });
}

async function takeStep(session: Session, random: SeededRandom, step: number): Promise<void> {
  const text = `${step} ${'é"\\\n'.repeat(random.below(12))} ${"x".repeat(random.below(300))}`;
  const exists = await session.exists();
  switch (exists ? random.below(12) : 0) {
    case 1:
      await session.append([message(`${text} a`), message(`${text} b`), message(`${text} c`)]);
      return;
    case 2:
      await session.note("usage", { step, text });
      return;
    case 3:
      await session.setTitle(text);
      return;
    case 4:
      await session.setTags([text, String(step)]);
      return;
    case 5:
      await session.truncate({ keepLast: random.below(5) });
      return;
    case 6:
      await session.rewind({ messages: random.below(3) });
      return;
    case 7:
      await session.setSummary(text);
      return;
    case 8:
      await session.replace([message(`${text} new`)], { summary: text });
      return;
    default:
      await session.append(message(text), { id: `id-${step}` });
  }
}
