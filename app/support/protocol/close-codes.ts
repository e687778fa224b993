/** Codes a room closes a socket with. After the last three the client does not reconnect. */
export const CLOSE = {
  binary: 1003,
  tooMany: 1008,
  tooLarge: 1009,
  /** The signed-in session has ended. */
  signedOut: 4401,
  gone: 4404,
  /** The close reason is the new session id. */
  moved: 4410,
} as const;

const NORMAL_CLOSURE = 1000;
/** Reported when no usable close frame arrived (RFC 6455, 7.4.1). Sending one throws. */
const RESERVED = [1005, 1006, 1015];

/** Returns the code to close our end with after the other end closed with `received`. */
export function replyCloseCode(received: number): number {
  return RESERVED.includes(received) ? NORMAL_CLOSURE : received;
}
