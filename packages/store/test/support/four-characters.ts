/** An estimator that can be counted by hand: four characters a token, four tokens more for a message. */

import type { TokenEstimator } from "../../src/context/types.ts";

export const fourCharacters: TokenEstimator = {
  name: "four characters, for tests",
  tokensOf: (text) => Math.ceil(text.length / 4),
  tokensOfMessage: ({ content, toolCalls = [], reasoning = "" }) => {
    const parts = typeof content === "string" ? content : JSON.stringify(content);
    return 4 + Math.ceil((parts.length + JSON.stringify(toolCalls).length + reasoning.length) / 4);
  },
};
