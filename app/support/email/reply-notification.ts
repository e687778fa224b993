import { CHAT_HASH } from "#app/components/navigation/chat-hash.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import type { PushContent } from "#app/push/push-content.ts";
import type { SupportMessage } from "#app/support/protocol/frames.ts";

/** Returns the notification about a reply. `isAccount`: its reader is signed in. */
export function replyNotification(
  { sender_name, message, file }: SupportMessage,
  { isAccount }: { isAccount: boolean },
): PushContent {
  return {
    title: `${sender_name} from ${PRODUCT_NAME}`,
    body: file ? `File: ${message}` : message,
    path: (isAccount ? "/dashboard" : "/") + CHAT_HASH,
    tag: "support",
  };
}
