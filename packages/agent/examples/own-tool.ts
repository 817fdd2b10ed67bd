/** One's own tool. Hand it to an agent beside the built-in ones: `tools: () => [...builtInTools({ … }), rollDice]`. */

import { defineTool } from "@longhand/agent";
import * as z from "zod";

export const rollDice = defineTool({
  name: "roll_dice",
  description: "Rolls six-sided dice.",
  parameters: z.object({ count: z.number().int().min(1).max(100).describe("How many dice.") }),
  isReadOnly: true,
  run: ({ count }) => Array.from({ length: count }, () => 1 + Math.floor(Math.random() * 6)).join(" "),
});
