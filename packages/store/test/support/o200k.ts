/** The real tokenizer that estimates are measured against. */

import type { TextDecoder as NodeTextDecoder } from "node:util";

declare global {
  // Its declarations take a type of browsers for granted.
  type TextDecoder = NodeTextDecoder;
}

export { encode } from "gpt-tokenizer/encoding/o200k_base";
