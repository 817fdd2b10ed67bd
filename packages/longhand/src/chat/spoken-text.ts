/** What is said when a text is sent: a space before a slash says that it is no command, and is not part of what is said. */
export function spokenText(text: string): string {
  return text.replace(/^\s+(?=\/)/u, "");
}
