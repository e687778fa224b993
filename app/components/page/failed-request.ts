let failedRequestId: string | null = null;

/** Remembers the request ID of the last failed response: Remix does not hand that response to the error page. */
export function watchFailedRequests(): void {
  const send = window.fetch;
  window.fetch = async (...request) => {
    const response = await send(...request);
    if (response.status >= 400) failedRequestId = response.headers.get("X-Request-Id");
    return response;
  };
}

/**
 * Keeps an aborted request from being reported as an unhandled error. Remix aborts a load when a newer one replaces it;
 * if the response has begun to stream, a promise that nobody awaits (`done` of turbo-stream) rejects.
 */
export function ignoreAbortedRequests(): void {
  window.addEventListener("unhandledrejection", (event) => {
    if (event.reason instanceof DOMException && event.reason.name === "AbortError") event.preventDefault();
  });
}

/** Returns null if no request has failed since the page was loaded. */
export function lastFailedRequestId(): string | null {
  return failedRequestId;
}
