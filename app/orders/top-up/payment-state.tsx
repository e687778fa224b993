import { Money } from "#app/components/formats/money-amount.tsx";
import type { Formats } from "#app/components/formats/number-formats.ts";
import { Badge, type Tone } from "#app/components/ui/badge.tsx";
import type { CheckoutStatus } from "#app/db/schema.server.ts";

const STATES: Record<CheckoutStatus, { text: string; tone: Tone }> = {
  open: { text: "Started", tone: "neutral" },
  pending: { text: "Processing", tone: "neutral" },
  paid: { text: "Credited", tone: "good" },
  failed: { text: "Failed", tone: "neutral" },
  expired: { text: "Expired", tone: "neutral" },
  review: { text: "In review", tone: "warn" },
  refused: { text: "Not credited", tone: "bad" },
};

/** The status of a card payment and how much of it was reversed. Amounts are micro-units. */
export function PaymentState({
  payment,
}: {
  payment: { status: CheckoutStatus; paid: number | null; reversed: number };
}) {
  const { status, paid, reversed } = payment;
  const { text, tone } = STATES[status];
  if (reversed === 0) return <Badge tone={tone}>{text}</Badge>;
  if (reversed === paid) return <Badge tone="bad">Reversed</Badge>;
  return (
    <Badge tone="warn">
      <Money micro={reversed} /> reversed
    </Badge>
  );
}

/** Formats the amount that Stripe received, such as "EUR 20.00". `received` is in minor units of its currency. */
export function receivedText(
  payment: { received: number | null; receivedCurrency: string | null },
  { locale }: Formats,
): string {
  const { received, receivedCurrency } = payment;
  if (received === null || receivedCurrency === null) return "—";
  const format = new Intl.NumberFormat(locale, {
    style: "currency",
    currency: receivedCurrency.toUpperCase(),
    currencyDisplay: "code",
  });
  return format.format(received / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
