import { AgentError } from "@longhand/agent";
import { escapeLine } from "../../terminal/escape-controls.ts";
import { writeWrapped } from "../../terminal/write-wrapped.ts";
import type { ChatCommand } from "../chat-command.ts";

/** Behind the name: the model is used whatever the check would say. */
const ANYWAY = /\s+anyway$/;

export const model: ChatCommand = {
  name: "model",
  argument: "[MODEL]",
  summary: "show or change the model, such as ollama:gemma4:e4b",
  waits: true,
  run: async (argument, { agent, chooseModel, output, signal }) => {
    if (argument === "") {
      output.write(`${escapeLine(agent.model.name)}\n`);
      output.write(output.colors.dim("To change it for this chat: /model MODEL\n"));
      return;
    }
    const name = argument.replace(ANYWAY, "");
    const next = await chooseModel(name);
    const check = ANYWAY.test(argument) ? undefined : await next.check?.(signal);
    if (check !== undefined && check.result !== "usable") {
      const why =
        check.result === "unknown" ? `the model could not be checked: ${check.reason}` : check.reason;
      const anyway = `To use it anyway: /model ${name} anyway`;
      throw new AgentError("MODEL_REFUSED", `${why}. The model is still ${agent.model.name}. ${anyway}`);
    }
    agent.useModel(next);
    writeWrapped(output, `The model is now ${output.colors.cyan(escapeLine(agent.model.name))}.`);
  },
};
