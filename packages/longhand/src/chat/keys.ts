/** What somebody does at the keyboard, whatever bytes their terminal sends for it. */

export type Key =
  /** Typed; without controls. */
  | { readonly type: "text"; readonly text: string }
  /** Pasted, as one: line ends in it are part of the text. */
  | { readonly type: "paste"; readonly text: string }
  | { readonly type: "command"; readonly name: KeyName };

export type KeyName =
  | "enter"
  | "newline"
  | "tab"
  | "left"
  | "right"
  | "up"
  | "down"
  | "word-left"
  | "word-right"
  | "line-start"
  | "line-end"
  | "backspace"
  | "delete"
  | "delete-word-left"
  | "delete-word-right"
  | "kill-to-start"
  | "kill-to-end"
  | "yank"
  | "interrupt"
  /** Ctrl-D: deletes, and on an empty line leaves. */
  | "delete-or-leave"
  | "redraw"
  | "suspend"
  | "escape";
