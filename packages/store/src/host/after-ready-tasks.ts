/**
 * Resolves when everything that is ready to run has run: callers that were answered together have made their next calls by
 * then, and these can be served together.
 */
export async function afterReadyTasks(): Promise<void> {
  await new Promise<void>((resolve) => {
    process.nextTick(resolve);
  });
}
