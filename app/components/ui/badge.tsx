import Check from "lucide-react/icons/check";
import Circle from "lucide-react/icons/circle";
import CircleDashed from "lucide-react/icons/circle-dashed";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import X from "lucide-react/icons/x";
import type { ReactNode } from "react";

export type Tone = "neutral" | "active" | "good" | "warn" | "bad";

/** The tone of each order status, on every screen that shows one. */
export const ORDER_STATUS_TONES = {
  Pending: "neutral",
  Processing: "active",
  "In progress": "active",
  Completed: "good",
  Partial: "warn",
  Canceled: "bad",
} as const satisfies Record<string, Tone>;

/** Each tone has its own shape, for people who cannot tell the colors apart. */
const TONES = {
  neutral: { icon: Circle, look: "border-line text-muted" },
  active: { icon: CircleDashed, look: "border-line-strong text-text" },
  good: { icon: Check, look: "border-transparent bg-good-wash text-good" },
  warn: { icon: TriangleAlert, look: "border-transparent bg-warn-wash text-warn" },
  bad: { icon: X, look: "border-transparent bg-bad-wash text-bad" },
} satisfies Record<Tone, object>;

export function Badge({ tone = "neutral", children }: { tone?: Tone; children: ReactNode }) {
  const { icon: Icon, look } = TONES[tone];
  return (
    <span
      className={`inline-flex h-6 items-center gap-1.5 rounded-full border px-2 text-xs font-medium whitespace-nowrap ${look}`}
    >
      <Icon aria-hidden className="size-3" strokeWidth={2.5} />
      {children}
    </span>
  );
}
