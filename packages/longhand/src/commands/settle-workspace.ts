/**
 * Before an agent starts: settles which directory it works in. A directory that is not approved yet is asked about, once; where that is
 * not possible, and where the answer is no, the default workspace is used, which is said.
 */

import { checkIsDirectory } from "../config/check-named-workspace.ts";
import type { WorkspaceChoice } from "../config/choose-workspace.ts";
import type { Places } from "../config/places.ts";
import { readRecord, readRecordOf, writeRecord } from "../config/workspace-record.ts";
import { approve, keepRecord, offeredIn } from "../config/workspace-uses.ts";
import { workspaceState } from "../config/workspace-state.ts";
import { moveOlder, movedText, planMove } from "../sessions/move-older.ts";
import { describeOlder, MOVE_RISK, tellOlder } from "../sessions/older-state.ts";
import { askYes, canAsk } from "../terminal/ask-yes.ts";
import { escapeLine } from "../terminal/escape-controls.ts";
import { jsonLine } from "../terminal/json-line.ts";
import { shellQuote } from "../terminal/shell-quote.ts";
import { CommandError } from "../command-error.ts";
import type { Surroundings } from "./surroundings.ts";

export async function settleWorkspace(given: Surroundings): Promise<Places> {
  const { choice } = given.workspace;
  const settled = choice.by === "default" ? await settleDefault(choice, given) : choice;
  if (settled.by === "option") await approveNamed(settled.real, given);
  const places = settled === choice ? given.places : given.workspace.use(settled);
  return (await offerMove({ ...given, places })) ? given.workspace.use(withoutOlder(settled)) : places;
}

/** `serve` answers other programs from anywhere: the current directory means nothing to it. */
export async function settleForServing(given: Surroundings): Promise<Places> {
  const { choice, defaultChoice, use } = given.workspace;
  if (choice.by !== "option") return use(choice.by === "default" ? choice : defaultChoice());
  await approveNamed(choice.real, given);
  return given.places;
}

/**
 * Naming a directory by --workspace is a yes. What appeared in it since an earlier one needs `workspace approve`; so does everything if
 * the record is damaged, since what appeared cannot be told then.
 */
async function approveNamed(real: string, { places, output }: Surroundings): Promise<void> {
  checkIsDirectory(places.workspace.path);
  const state = workspaceState(places.home.path, real);
  if (readRecord(state) === "damaged") return;
  const record = readRecordOf(state, real);
  if (record === undefined) await approve(state, real, output.now());
  else if (record.approved === null)
    await writeRecord(state, { ...(await keepRecord(state, real)), approved: output.now().toISOString() });
}

async function settleDefault(
  choice: WorkspaceChoice & { readonly by: "default" },
  given: Surroundings,
): Promise<WorkspaceChoice> {
  const { current } = choice;
  switch (current.state) {
    case "not-asked":
      return choice;
    case "unsafe":
      say(`${current.path} ${current.reason}`, given);
      return choice;
    case "unapproved": {
      const { path, real } = current;
      const { toPaste, places, output } = given;
      if (!canAsk(given)) {
        say(
          `${path} is not approved as a workspace (to work there: ${toPaste("chat --workspace .")})`,
          given,
        );
        return choice;
      }
      if (!(await askYes(given, questionAbout(path, real)))) return choice;
      await approve(workspaceState(places.home.path, real), real, output.now());
      return { by: "current", path, real };
    }
  }
}

export function questionAbout(path: string, real: string): string {
  const offered = offeredIn(real).map((name) => (name === "skills" ? "skills/" : name));
  const uses = offered.length === 0 ? "" : `\nIts ${offered.join(" and ")} will be used.`;
  return `Work in ${escapeLine(path)}?\nTools may read and write files in it.${uses}`;
}

function say(why: string, { output, places, json }: Surroundings): void {
  const message = `${why}; using the default workspace, ${places.workspace.path}`;
  output.writeError(
    json
      ? jsonLine({ warning: { code: "WORKSPACE_DEFAULT", message } })
      : `longhand: ${escapeLine(message)}\n`,
  );
}

/** Moved: the places are other ones now. */
async function offerMove(given: Surroundings): Promise<boolean> {
  const { places, output, toPaste } = given;
  const { workspace } = places;
  const plan = planMove(workspace);
  if (plan.moves.length === 0 || (places.sessions.source === "option" && places.memory.source === "option")) {
    return false;
  }
  if (!canAsk(given) || readRecordOf(workspace.state, workspace.real)?.isMoveDeclined === true) {
    if (places.sessions.source === "default") tellOlder(given);
    return false;
  }
  const what = describeOlder(
    workspace.path,
    plan.moves.map(({ name }) => name),
  );
  const sentence = `${what.slice(0, 1).toUpperCase()}${what.slice(1)}`;
  const question = `${sentence}.\n${MOVE_RISK}\nMove them to ${escapeLine(workspace.state)}?`;
  if (!(await askYes(given, question, "no"))) {
    const record = await keepRecord(workspace.state, workspace.real);
    await writeRecord(workspace.state, { ...record, isMoveDeclined: true });
    const readable = plan.moves.filter(({ name }) => name === "sessions");
    const reading = readable.map(
      ({ from }) => ` To read them: ${given.program} list --sessions ${shellQuote(from)}`,
    );
    output.writeError(
      `They stay where they are.${reading.join("")}\nTo move them, unless the home has others by then: ${toPaste("workspace move")}\n`,
    );
    return false;
  }
  try {
    await moveOlder(plan);
    output.writeError(movedText(plan));
    return true;
  } catch (error) {
    // The chat works without it.
    if (!(error instanceof CommandError)) throw error;
    output.writeError(`longhand: ${escapeLine(error.message)}\n`);
    return false;
  }
}

function withoutOlder(choice: WorkspaceChoice): WorkspaceChoice {
  return choice.by === "default" ? { ...choice, older: [] } : choice;
}
