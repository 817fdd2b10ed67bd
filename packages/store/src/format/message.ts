/** What a conversation is made of. Other fields, here and in parts, are kept exactly as given. JSON only. */

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "image" | "file";
      readonly mediaType: string;
      /** Base64 or a URL. */
      readonly data: string;
      readonly name?: string;
    }
  | { readonly type: string; readonly [field: string]: unknown };

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
}

export const ROLES = ["system", "user", "assistant", "tool"] as const;

export interface Message {
  readonly role: (typeof ROLES)[number];
  readonly content: string | readonly ContentPart[];
  /** Who spoke, in a group. */
  readonly name?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly toolCallId?: string;
  readonly isError?: boolean;
  readonly reasoning?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly stopReason?: string;
}
