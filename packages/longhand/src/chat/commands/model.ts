import { escapeLine } from "../../terminal/escape-controls.ts";
import type { ChatCommand } from "../chat-command.ts";

export const model: ChatCommand = {
  name: "model",
  argument: "[MODEL]",
  summary: "which model answers; with MODEL, such as ollama:gemma4:e4b, another one",
  waits: true,
  run: async (argument, { agent, chooseModel, output }) => {
    if (argument === "") {
      output.write(`${escapeLine(agent.model.name)}\n`);
      output.write(output.colors.dim("To change it for this chat: /model MODEL\n"));
      return;
    }
    agent.useModel(await chooseModel(argument));
    output.write(`From now on ${output.colors.cyan(escapeLine(agent.model.name))} answers.\n`);
  },
};
