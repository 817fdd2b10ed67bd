/** What is said in the tour. A batch (an array) is appended whole or not at all. */

import type { Message } from "@longhand/store";

export const CONVERSATION_KEY = "tour:kitchen";
export const WRITER_KEY = "tour:writer";
export const TITLE = "A new kitchen";

export const CONVERSATION: readonly (Message | readonly Message[])[] = [
  { role: "user", content: "The kitchen is 3.2 by 2.4 metres. How many tiles of 20 by 20 cm do I need?" },
  [
    {
      role: "assistant",
      content: "I will work it out.",
      toolCalls: [
        { id: "call_1", name: "calculate", arguments: { expression: "(3.2 / 0.2) * (2.4 / 0.2)" } },
        { id: "call_2", name: "read_file", arguments: { path: "notes/kitchen.md" } },
      ],
    },
    { role: "tool", toolCallId: "call_1", content: "192" },
    {
      role: "tool",
      toolCallId: "call_2",
      content: "# Kitchen\n- tiles: terracotta, box of 25\n- the plumber comes on Thursday\n",
    },
  ],
  {
    role: "assistant",
    content:
      "192 tiles cover the floor. Your notes say terracotta in boxes of 25, so take 9 boxes: 225 tiles leave 33 for cuts and breakage.",
  },
  { role: "user", content: "Good. And remind me who comes on Thursday." },
  { role: "assistant", content: "The plumber comes on Thursday." },
];

export const REGRETTED = "Forget the tiles, let us burn it all down.";
export const SUMMARY = "The kitchen floor needs 192 terracotta tiles, that is 9 boxes of 25.";
export const SEARCHED = "terracotta boxes";
