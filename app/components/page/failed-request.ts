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

/** Returns null if no request has failed since the page was loaded. */
export function lastFailedRequestId(): string | null {
  return failedRequestId;
}
