/**
 * The model of the commit protocol as a part of the proof. The gate searches all small worlds completely, and turns off as
 * many rules as there is time for; a long run goes on with the other rules, the deep worlds, and walks through worlds that
 * are too large to be searched. Only those walks depend on the seed.
 */

import { SeededRandom } from "@longhand/store/testing";
import { Violation, type Findings, type Part, type Slice } from "../part.ts";
import { searchWorld, type Outcome } from "./checker.ts";
import { RULES, without, type Rule } from "./rules.ts";
import { SHOWN_BY } from "./shown-by.ts";
import { walkThrough } from "./walk.ts";
import { DEEP, LIMITS, SMALL, WIDE, worldOf } from "./worlds.ts";

const STATES = "model states";
const RULES_SHOWN = "rules shown to be needed";
const WALKED = "model states walked through";

/** One piece of work; a slice does several. */
type Piece = (findings: Findings, slice: Slice) => void;

/** So many states of a deep world are looked at: a minute's work. */
const DEEP_STATES = 400_000;

/** So long a slice walks, in milliseconds. */
const WALK_TIME = 20_000;

export const model: Part = {
  name: "model",
  title: "Model of the commit protocol",
  counts: { [STATES]: 300_000, [RULES_SHOWN]: Object.keys(SHOWN_BY).length, [WALKED]: 0 },
  gateSlices: 6,
  weight: 1,
  obstacle: async () => await Promise.resolve(undefined),
  run: async (slice, findings) => {
    for (const piece of piecesOf(slice.number)) piece(findings, slice);
    await Promise.resolve();
  },
  control: async (findings) => {
    const outcome = searchWorld(worldOf("append", without("syncBeforeAnswer")));
    count(findings, outcome);
    await Promise.resolve();
    throwIfBroken("append without syncBeforeAnswer", outcome);
  },
};

function piecesOf(slice: number): readonly Piece[] {
  const rules = Object.keys(RULES).filter(isShown);
  const gate: readonly (readonly Piece[])[] = [
    ...dealt(Object.keys(SMALL), 4).map((names) => names.map((name) => searchIn(name))),
    ...dealt(rules, 2).map((some) => some.map(showRule)),
  ];
  const deep = [
    Object.keys(LIMITS).map(showLimit),
    ...Object.keys(DEEP).map((name) => [searchIn(name, DEEP_STATES)]),
  ];
  return [...gate, ...deep][slice] ?? [walk];
}

/** In turn, so that each gets large and small ones. */
function dealt<T>(all: readonly T[], hands: number): T[][] {
  return Array.from({ length: hands }, (_, hand) => all.filter((_, index) => index % hands === hand));
}

function isShown(rule: string): rule is Rule {
  return rule in SHOWN_BY;
}

/** Nothing may be broken there. */
function searchIn(name: string, limit = Infinity): Piece {
  return (findings) => {
    const outcome = searchWorld(worldOf(name), limit);
    count(findings, outcome);
    if (!outcome.isComplete)
      findings.note(
        `model: the world ${name} is larger than ${outcome.states} states; nothing was found in these`,
      );
    throwIfBroken(name, outcome);
  };
}

/** Without the rule a promise must be broken, or the model does not show what the rule is for. */
function showRule(rule: Rule): Piece {
  return (findings) => {
    const { world, broken } = searchWithout(rule);
    if (!broken) throw new Violation(`nothing breaks in the world ${world} without ${rule}`);
    findings.count(RULES_SHOWN);
  };
}

export function searchWithout(rule: Rule): { readonly world: string; readonly broken: boolean } {
  const world = SHOWN_BY[rule] ?? "append";
  return { world, broken: searchWorld(worldOf(world, without(rule))).broken !== undefined };
}

/** What is documented as not promised must still be so. */
function showLimit(name: string): Piece {
  return (findings) => {
    const outcome = searchWorld(worldOf(name));
    if (outcome.broken === undefined)
      throw new Violation(`the world ${name} holds by now: say so in its README`);
    findings.note(`model, not promised (${name}): ${outcome.broken.promise}`);
  };
}

function walk(findings: Findings, { seed, number }: Slice): void {
  const random = new SeededRandom(seed + number * 0x9e3779b1);
  const below = (limit: number): number => random.below(limit);
  const names = Object.keys(WIDE);
  const name = names[number % names.length] ?? "wideFailing";
  const end = performance.now() + WALK_TIME;
  while (performance.now() < end) {
    const { states, broken } = walkThrough(worldOf(name), below);
    findings.count(WALKED, states);
    if (broken !== undefined) throw new Violation(story(name, broken));
  }
}

function count(findings: Findings, { states }: Outcome): void {
  findings.count(STATES, states);
}

function throwIfBroken(name: string, { broken }: Outcome): void {
  if (broken !== undefined) throw new Violation(story(name, broken));
}

function story(world: string, { promise, trace }: NonNullable<Outcome["broken"]>): string {
  return [`in the world ${world}: ${promise}`, ...trace.map((step, index) => `  ${index + 1}. ${step}`)].join(
    "\n",
  );
}
