/** Opens the support chat on the page it is appended to. */
export const CHAT_HASH = "#support-chat";

const ORDER_HASH = /^#support-chat-order-(\d{1,10})$/;

/** Returns the hash that opens the chat with a message begun about the order. */
export function chatHash(orderId: number): string {
  return `${CHAT_HASH}-order-${orderId}`;
}

/** Returns the order that the hash names, or null. */
export function orderOfChatHash(hash: string): string | null {
  return ORDER_HASH.exec(hash)?.[1] ?? null;
}
