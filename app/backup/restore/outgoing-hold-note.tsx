import { Badge } from "#app/components/ui/badge.tsx";

/** Tells admins that a restored copy waits for its release. */
export function OutgoingHoldNote() {
  return (
    <div className="flex flex-col items-start gap-2 text-sm">
      <Badge tone="bad">Nothing is sent</Badge>
      <p className="max-w-prose">
        Orders, emails, webhooks, notifications and alerts wait until you run{" "}
        <code className="font-mono whitespace-nowrap">npm run restore -- --release</code>.
      </p>
    </div>
  );
}
