/** Opens the support chat on the page it is appended to. */
export const CHAT_HASH = "#support-chat";

/** Matches the hashes that open the chat, with the order that one names. */
export const CHAT_HASHES = /^#support-chat(?:-order-(\d{1,10}))?$/;

/** Returns the hash that opens the chat with a message begun about the order. */
export function chatHash(orderId: number): string {
  return `${CHAT_HASH}-order-${orderId}`;
}
