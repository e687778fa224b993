import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import type { CheckoutStatus } from "#app/db/schema.server.ts";

/** The outcome of the payment that a customer returns from. */
export function CheckoutNotice({
  checkout,
  canceled,
}: {
  checkout: { status: CheckoutStatus; amount: number };
  canceled: boolean;
}) {
  const { money } = useFormats();
  const amount = money(checkout.amount);
  if (canceled && checkout.status === "open") {
    return <Notice tone="good">Payment canceled. You weren't charged.</Notice>;
  }
  switch (checkout.status) {
    case "paid":
      return <Notice tone="good">{amount} added to your balance. Thank you.</Notice>;
    case "open":
      return (
        <Notice tone="good">
          Waiting for Stripe to confirm your {amount} payment. This page updates automatically.
        </Notice>
      );
    case "pending":
      return (
        <Notice tone="good">Your bank hasn't sent the {amount} yet. We'll credit it as soon as it arrives.</Notice>
      );
    case "review":
      return (
        <Notice tone="bad">
          We received your payment, but its amount or currency isn't the one you entered. Our team is reviewing it and
          will credit your balance.
        </Notice>
      );
    case "refused":
      return <Notice tone="bad">We couldn't credit this payment. Contact support in the chat to sort it out.</Notice>;
    case "failed":
    case "expired":
      return (
        <Notice tone="bad">The payment didn't go through, and your balance didn't change. You can try again.</Notice>
      );
    default:
      return checkout.status satisfies never;
  }
}
