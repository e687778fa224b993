let failedRequestId: string | null = null;

/** Remix shows an error page no response of the request that failed, but its id is what the logs know it by. */
export function watchFailedRequests(): void {
  const send = window.fetch;
  window.fetch = async (...request) => {
    const response = await send(...request);
    if (response.status >= 400) failedRequestId = response.headers.get("X-Request-Id");
    return response;
  };
}

/** Null when no request of this page has failed since it was loaded. */
export function lastFailedRequestId(): string | null {
  return failedRequestId;
}
