/** Calls to one provider that run at once, unless staff set another number for it. */
export const DEFAULT_CONCURRENT_CALLS = 5;
/** The platform opens six connections in an invocation. A seventh call would wait there, and could time out unsent. */
export const MAX_CONCURRENT_CALLS = 6;
/** More is no limit: six calls of 50 ms each are 7,200 a minute. */
export const MAX_CALLS_PER_MINUTE = 6000;
