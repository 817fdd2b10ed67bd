/** The names of all tools that come with the agent, whether it has them or not: without a memory it has neither recall nor remember. */
export const TOOL_NAMES = [
  "read_file",
  "write_file",
  "edit_file",
  "list_dir",
  "exec",
  "recall",
  "remember",
  "load_skill",
] as const;
