/** What the window of a model is full of, for a usage bar. */

import type { ContextUsage } from "@longhand/store/context";
import type { Colors } from "./output.ts";
import type { UsagePart } from "./usage-bar.ts";

export function contextParts(usage: ContextUsage, colors: Colors): UsagePart[] {
  const { system, tools, summary, turns, free, reserve } = usage;
  return [
    { name: "system", amount: system, sign: "█", color: colors.yellow },
    { name: "tools", amount: tools, sign: "▓", color: colors.blue },
    { name: "summary", amount: summary, sign: "▒", color: colors.magenta, remark: "with the pins" },
    { name: "turns", amount: turns, sign: "■", color: colors.cyan },
    { name: "answer", amount: reserve, sign: "□", color: colors.green, remark: "kept free for it" },
    { name: "free", amount: free, sign: "·", color: colors.dim },
  ];
}
