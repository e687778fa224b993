import type { Tone } from "./badge.tsx";

/** The badge tone of each order status, on every screen that shows one. */
export const ORDER_STATUS_TONES = {
  Pending: "neutral",
  Processing: "active",
  "In progress": "active",
  Completed: "good",
  Partial: "warn",
  Canceled: "bad",
} as const satisfies Record<string, Tone>;
