const MESSAGE_HASH = /^#message-(\d{1,15})$/;

/** Returns the hash that scrolls a console conversation to the message. */
export function messageHash(seq: number): string {
  return `#message-${seq}`;
}

/** Returns the seq in a message hash, or null for any other hash. */
export function messageOfHash(hash: string): number | null {
  const seq = MESSAGE_HASH.exec(hash)?.[1];
  return seq === undefined ? null : Number(seq);
}
