/** A response whose body was read by us first, for providers that would overlook what is wrong with it. */

const encoder = new TextEncoder();

/** The same status and headers; the texts are the body. What `texts` throws, the reader of the body meets. */
export function rewrittenResponse(
  response: Response,
  texts: AsyncGenerator<string, void, undefined>,
): Response {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await texts.next();
      if (next.done === true) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    async cancel() {
      await texts.return();
    },
  });
  const headers = new Headers(response.headers);
  // It was decoded already, and has another length now.
  headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(body, { status: response.status, statusText: response.statusText, headers });
}
