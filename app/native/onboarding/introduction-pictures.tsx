import Check from "lucide-react/icons/check";
import Link2 from "lucide-react/icons/link-2";
import LockKeyhole from "lucide-react/icons/lock-keyhole";
import type { ReactNode } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Badge, ORDER_STATUS_TONES } from "#app/components/ui/badge.tsx";

/** Pictures for the introduction: parts of the product with example data. */

export function ExactCharge() {
  const { money, number } = useFormats();
  return (
    <Sheet>
      {[
        [`Rate per ${number(1000)}`, money(900_000)],
        ["Quantity", number(1500)],
      ].map(([label, value]) => (
        <Row key={label}>
          <span className="text-muted">{label}</span>
          <span className="tabular">{value}</span>
        </Row>
      ))}
      <div className="flex items-baseline justify-between px-4 py-3">
        <span className="text-sm font-medium">Charge</span>
        <span className="tabular text-3xl font-semibold tracking-tight">
          <Money micro={1_350_000} />
        </span>
      </div>
    </Sheet>
  );
}

export function LinkOnly() {
  return (
    <div className="flex flex-col gap-3 text-sm">
      <div className="flex h-12 items-center gap-3 rounded-md border border-accent bg-raised px-4">
        <Link2 className="size-4 text-muted" />
        <span className="truncate font-mono text-xs">https://example.com/your-post</span>
        <Check className="ml-auto size-4 text-accent" />
      </div>
      <div className="flex h-12 items-center gap-3 rounded-md border border-dashed border-line-strong px-4 text-muted">
        <LockKeyhole className="size-4" />
        <span className="line-through">Your account password</span>
      </div>
    </div>
  );
}

const PROGRESS: [keyof typeof ORDER_STATUS_TONES, number][] = [
  ["Pending", 0],
  ["In progress", 640],
  ["Completed", 1500],
];

export function OrderProgress() {
  const { number } = useFormats();
  return (
    <Sheet>
      <svg viewBox="0 0 320 96" fill="none" className="block w-full border-b border-line" aria-hidden="true">
        {[24, 48, 72].map((y) => (
          <path key={y} d={`M0 ${y}H320`} className="stroke-line" strokeDasharray="2 6" />
        ))}
        <path
          d="M0 84 48 78 92 80 140 58 180 62 226 36 262 30 316 12"
          className="stroke-accent"
          strokeWidth="2.5"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      {PROGRESS.map(([status, delivered]) => (
        <Row key={status}>
          <Badge tone={ORDER_STATUS_TONES[status]}>{status}</Badge>
          <span className="tabular text-muted">{number(delivered)}</span>
        </Row>
      ))}
    </Sheet>
  );
}

export function ChatExample() {
  return (
    <div className="flex flex-col gap-2.5 text-sm">
      <p className="max-w-[85%] self-end rounded-bubble rounded-br-sm bg-accent px-4 py-2.5 text-on-accent">
        My link changed. Can you use the new one?
      </p>
      <p className="max-w-[85%] self-start rounded-bubble rounded-bl-sm border border-line bg-raised px-4 py-2.5">
        Send it here, and I'll change the order before it starts.
      </p>
      <p className="max-w-[85%] self-end rounded-bubble rounded-br-sm bg-accent px-4 py-2.5 text-on-accent">
        Thank you
      </p>
    </div>
  );
}

function Sheet({ children }: { children: ReactNode }) {
  return <div className="overflow-clip rounded-md border border-line bg-raised">{children}</div>;
}

function Row({ children }: { children: ReactNode }) {
  return (
    <div className="flex h-11 items-center justify-between gap-4 border-b border-line px-4 text-sm last:border-b-0">
      {children}
    </div>
  );
}
