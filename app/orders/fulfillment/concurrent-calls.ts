/** Orders of one provider that are in flight at once. Below the six connections that an invocation can have open. */
export const CONCURRENT_CALLS = 5;
