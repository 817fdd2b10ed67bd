/** The one place that turns an error into what a person is told, and into the exit code. docs/cli.md lists the codes. */

import { isLonghandError, type LonghandError, type LonghandErrorCode } from "@longhand/store";
import { CommandError, type CommandErrorCode } from "../command-error.ts";
import { completeCommands, type ToPaste } from "./command-to-paste.ts";
import { describeOwner, ownerIn } from "./describe-owner.ts";
import { escapeKey } from "./escape-controls.ts";
import { EXIT } from "./exit-codes.ts";
import { permissionRemedy } from "./permission-remedy.ts";
import { plainReason } from "./plain-reason.ts";
import { shellQuote } from "./shell-quote.ts";

export interface Explanation {
  readonly code: string;
  readonly message: string;
  readonly remedy: string | undefined;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly exitCode: number;
}

/** What is known about the command that failed. */
export interface FailedCommand {
  readonly toPaste: ToPaste;
  /** It has the option `--wait`. */
  readonly canWait: boolean;
  /** Who has the session is there, and stands still. */
  readonly isOwnerStopped: boolean;
  /** What helps with a session that cannot be read, where that could be told. */
  readonly damagedRemedy?: string | undefined;
}

export function explainError(error: unknown, failedCommand: FailedCommand): Explanation {
  if (error instanceof CommandError) {
    const { code, message, detail, remedy } = error;
    return { code, message, detail, remedy, exitCode: COMMAND_EXIT[code] };
  }
  if (isLonghandError(error)) {
    const { code, message, detail } = error;
    const { exitCode, remedy } = STORE_ERRORS[code];
    return {
      code,
      message:
        lockedMessage(error) ??
        damagedMessage(error, failedCommand) ??
        completeCommands(message, failedCommand.toPaste),
      detail,
      remedy: remedy?.(failedCommand, detail),
      exitCode,
    };
  }
  // By its name: the agent's package is not loaded for the errors of other commands.
  if (error instanceof Error && error.name === "AgentError" && "code" in error) {
    const { code, message } = error;
    const told = completeCommands(message, failedCommand.toPaste);
    return { code: String(code), message: told, remedy: undefined, detail: {}, exitCode: EXIT.failed };
  }
  if (error instanceof Error && "syscall" in error) {
    const path = "path" in error && typeof error.path === "string" ? error.path : undefined;
    return {
      code: "IO_FAILED",
      // The system's own message names the file and the reason.
      message: path === undefined ? error.message : `${path}: ${plainReason(error)}`,
      remedy: undefined,
      detail: {},
      exitCode: EXIT.failed,
    };
  }
  return {
    code: "UNEXPECTED",
    message: error instanceof Error ? error.message : String(error),
    remedy: "this was not foreseen; LONGHAND_DEBUG=1 prints where it happened",
    detail: {},
    exitCode: EXIT.failed,
  };
}

const COMMAND_EXIT: Readonly<Record<CommandErrorCode, number>> = {
  USAGE_INVALID: EXIT.usage,
  INPUT_INVALID: EXIT.usage,
  CONFIG_INVALID: EXIT.failed,
  KEY_UNKNOWN: EXIT.notFound,
  KEY_AMBIGUOUS: EXIT.notFound,
  SESSION_DAMAGED: EXIT.failed,
  SESSION_EXISTS: EXIT.failed,
  ENTRY_UNKNOWN: EXIT.notFound,
  ENTRY_AMBIGUOUS: EXIT.notFound,
  LEASE_IN_USE: EXIT.failed,
  MIGRATION_FAILED: EXIT.failed,
  MOVE_REFUSED: EXIT.failed,
  NOT_CONFIRMED: EXIT.failed,
  NOTHING_TO_UNDO: EXIT.failed,
  SESSIONS_UNREADABLE: EXIT.failed,
  STORE_NOT_FOUND: EXIT.notFound,
  FILE_EXISTS: EXIT.failed,
  FILE_FAILED: EXIT.failed,
  TOUR_FAILED: EXIT.failed,
  WORKSPACE_UNKNOWN: EXIT.notFound,
};

interface StoreErrorRule {
  readonly exitCode: number;
  /** What the store's own message, which names the file or key, cannot know: the command that helps. */
  readonly remedy?: (failedCommand: FailedCommand, detail: LonghandError["detail"]) => string;
}

const failed = (remedy?: string): StoreErrorRule =>
  remedy === undefined ? { exitCode: EXIT.failed } : { exitCode: EXIT.failed, remedy: () => remedy };
const askDoctor = (what: string): StoreErrorRule => ({
  exitCode: EXIT.failed,
  remedy: ({ toPaste }) => `${what}: ${toPaste("doctor")}`,
});
const usage: StoreErrorRule = { exitCode: EXIT.usage };

const STORE_ERRORS: Readonly<Record<LonghandErrorCode, StoreErrorRule>> = {
  OPTION_INVALID: usage,
  KEY_INVALID: usage,
  MESSAGE_INVALID: usage,
  MESSAGE_TOO_LARGE: usage,
  SEQ_CONFLICT: failed("somebody wrote to it at the same moment; nothing was changed, try again"),
  ID_CONFLICT: failed("nothing was written"),
  SESSION_EXISTS: failed(),
  SESSION_NOT_FOUND: {
    exitCode: EXIT.notFound,
    remedy: ({ toPaste }) => `the sessions there are: ${toPaste("list")}`,
  },
  SESSION_LOCKED: { exitCode: EXIT.failed, remedy: lockedRemedy },
  SESSION_DAMAGED: {
    exitCode: EXIT.failed,
    remedy: ({ toPaste, damagedRemedy }) =>
      damagedRemedy ?? `the damage and what to do: ${toPaste("doctor")}`,
  },
  SESSION_CHANGED: {
    exitCode: EXIT.failed,
    remedy: ({ toPaste }, { key }) =>
      `what is kept, and what to do: ${toPaste("verify", typeof key === "string" ? key : undefined)}`,
  },
  RECORD_DROPPED: failed(),
  STORE_CLOSED: failed(),
  STORE_FAILED: failed("run the command again: opening the store anew recovers it"),
  STORE_READ_ONLY: failed(),
  DIRECTORY_UNSAFE: askDoctor("owner, permissions and what to do"),
  FORMAT_TOO_NEW: failed("a newer longhand wrote it; update this one"),
  DISK_FULL: failed("nothing acknowledged is lost; free some space and run it again"),
  IO_FAILED: {
    exitCode: EXIT.failed,
    remedy: ({ toPaste }, { file, errno }) =>
      typeof file === "string" && (errno === "EACCES" || errno === "EPERM")
        ? permissionRemedy(file)
        : `what is wrong and what to do: ${toPaste("doctor")}`,
  },
};

/** Who has it, without the store's advice to its callers: it speaks of options that a command line does not have. */
function lockedMessage({ code, detail }: LonghandError): string | undefined {
  const { key, liveness } = detail;
  const owner = ownerIn(detail);
  if (code !== "SESSION_LOCKED" || typeof key !== "string" || owner === undefined) return undefined;
  const doubt = liveness === "unproven" ? " (whether it still runs cannot be told from here)" : "";
  return `${escapeKey(key)} is being written to by ${describeOwner(owner)}${doubt}`;
}

/** Without the store's advice, which cannot know whether a repair would help. */
function damagedMessage(
  { code, detail }: LonghandError,
  { damagedRemedy }: FailedCommand,
): string | undefined {
  const { file, reason } = detail;
  if (code !== "SESSION_DAMAGED" || damagedRemedy === undefined) return undefined;
  if (typeof file !== "string" || typeof reason !== "string") return undefined;
  return `${file} is not readable as a session: ${reason}; the file was left as it is`;
}

function lockedRemedy(
  { toPaste, canWait, isOwnerStopped }: FailedCommand,
  { key, liveness, pid }: LonghandError["detail"],
): string {
  if (liveness === "unproven" && typeof key === "string") {
    return `if you know that it has ended: ${toPaste(`doctor --break-lease ${shellQuote(key)}`)}`;
  }
  if (isOwnerStopped && typeof pid === "number")
    return `that process is stopped; to let it go on: kill -CONT ${pid}`;
  const wait = canWait ? "wait for it (--wait SECONDS)" : "try again when it is done";
  return `${wait}, or end it; reading works meanwhile: list, show, tail, search, export`;
}
