/** A tool: what the model may ask for, and what then happens. One's own takes ten lines: examples/own-tool.ts. */

import type { ToolSchema } from "@longhand/store/context";
import * as z from "zod";

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema, as it is sent along. */
  readonly schema: ToolSchema;
  /** May run beside other calls of the same answer: it changes nothing that they could see. */
  readonly isReadOnly: boolean;
  /** Whether somebody must say yes first. `undefined`: no. */
  needsApproval?(input: unknown, context: ToolContext): Promise<string | undefined> | string | undefined;
  /** The arguments as the tool wants them, or what is wrong with them, in words for the model. */
  parse(input: unknown): { readonly input: unknown } | { readonly problem: string };
  /** Only ever given what `parse` answered. What it throws becomes an error result. */
  run(input: unknown, context: ToolContext): Promise<string | ToolOutput>;
}

export interface ToolOutput {
  readonly content: string;
  readonly isError?: boolean;
}

export interface ToolContext {
  readonly agent: string;
  /** Of the session. */
  readonly key: string;
  readonly callId: string;
  /** The tool should end soon after it aborts. */
  readonly signal: AbortSignal;
}

/** Asked before a tool runs that needs it. Nobody there to ask: answers false. */
export type Approve = (question: ApprovalQuestion, signal: AbortSignal) => Promise<boolean>;

export interface ApprovalQuestion {
  readonly agent: string;
  readonly key: string;
  readonly tool: string;
  readonly input: unknown;
  /** Why it is asked. */
  readonly reason: string;
}

export interface ToolDefinition<Schema extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly parameters: Schema;
  readonly isReadOnly?: boolean;
  needsApproval?(
    input: z.output<Schema>,
    context: ToolContext,
  ): Promise<string | undefined> | string | undefined;
  run(input: z.output<Schema>, context: ToolContext): Promise<string | ToolOutput> | string | ToolOutput;
}

/** Makes a tool of a Zod schema and a function: arguments are checked before it runs, and typed in it. */
export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, description, parameters, isReadOnly = false } = definition;
  const needsApproval = definition.needsApproval?.bind(definition);
  return {
    name,
    description,
    isReadOnly,
    schema: { name, description, parameters: z.toJSONSchema(parameters, { io: "input" }) },
    ...(needsApproval === undefined
      ? {}
      : { needsApproval: (input, context) => needsApproval(input as z.output<Schema>, context) }),
    parse: (input) => {
      const parsed = parameters.safeParse(input);
      return parsed.success ? { input: parsed.data } : { problem: z.prettifyError(parsed.error) };
    },
    run: async (input, context) => await definition.run(input as z.output<Schema>, context),
  };
}
