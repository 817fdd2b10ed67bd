/** The commands of the chat, in the order in which the help shows them. */

import type { ChatCommand } from "../chat-command.ts";
import { compact } from "./compact.ts";
import { context } from "./context.ts";
import { exportConversation } from "./export.ts";
import { fork } from "./fork.ts";
import { help } from "./help.ts";
import { memory } from "./memory.ts";
import { model } from "./model.ts";
import { newConversation } from "./new.ts";
import { now } from "./now.ts";
import { quit } from "./quit.ts";
import { redo } from "./redo.ts";
import { resume } from "./resume.ts";
import { sessions } from "./sessions.ts";
import { tools } from "./tools.ts";
import { undo } from "./undo.ts";

export const ALL_COMMANDS: readonly ChatCommand[] = [
  help,
  newConversation,
  sessions,
  resume,
  fork,
  undo,
  redo,
  compact,
  context,
  memory,
  model,
  tools,
  now,
  exportConversation,
  quit,
];
