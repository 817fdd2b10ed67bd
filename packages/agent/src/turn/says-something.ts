/** Whether there is more in it than white space. */
export function saysSomething(text: string): boolean {
  return /\S/.test(text);
}
