/** The most that an answer may have where nobody says so: 4096 tokens, or a quarter of the context if that is less. */
export function usualAnswerTokens(contextTokens: number): number {
  return Math.min(4096, Math.floor(contextTokens / 4));
}
