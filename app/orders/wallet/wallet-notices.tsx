import { Link } from "@remix-run/react";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import type { Wallet } from "./wallet.server.ts";

/** Above each page of a customer: what is owed, or that the balance is low. */
export function WalletNotices({ wallet: { owed, lowBalanceThreshold, isLow } }: { wallet: Wallet }) {
  const { money } = useFormats();
  return (
    <>
      {owed > 0 && (
        <p
          role="alert"
          className="mb-6 flex items-start gap-2 rounded-md bg-bad-wash px-3 py-2.5 text-sm text-bad print:hidden"
        >
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span>
            You owe {money(owed)}: a card payment went back after it was spent. Nothing can be ordered until it is
            settled.{" "}
            <Link to="/dashboard/top-up" className="underline underline-offset-4">
              Top up
            </Link>{" "}
            to settle it, or write to support in the chat.
          </span>
        </p>
      )}
      {isLow && owed === 0 && (
        <p
          role="status"
          className="mb-6 flex items-start gap-2 rounded-md bg-warn-wash px-3 py-2.5 text-sm text-warn print:hidden"
        >
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span>
            Your balance is below {money(lowBalanceThreshold ?? 0)}.{" "}
            <Link to="/dashboard/top-up" className="underline underline-offset-4">
              Top it up
            </Link>{" "}
            so that orders are not refused, or{" "}
            <Link to="/dashboard/transactions#low-balance" className="underline underline-offset-4">
              change this notice
            </Link>
            .
          </span>
        </p>
      )}
    </>
  );
}
