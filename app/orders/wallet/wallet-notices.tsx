import { Link } from "@remix-run/react";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { Money } from "#app/components/formats/money-amount.tsx";
import type { Wallet } from "./wallet.server.ts";

/** Notices above each page of a customer: a debt, or a low balance. */
export function WalletNotices({ wallet: { owed, lowBalanceThreshold, isLow } }: { wallet: Wallet }) {
  return (
    <>
      {owed > 0 && (
        <p
          role="alert"
          className="mb-6 flex items-start gap-2 rounded-md bg-bad-wash px-3 py-2.5 text-sm text-bad print:hidden"
        >
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <span>
            You owe <Money micro={owed} />: a card payment was reversed after you spent it. You can't place orders until
            you pay it back.{" "}
            <Link to="/dashboard/top-up" className="underline underline-offset-4">
              Top up
            </Link>{" "}
            or contact support in the chat.
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
            Your balance is below <Money micro={lowBalanceThreshold ?? 0} />.{" "}
            <Link to="/dashboard/top-up" className="underline underline-offset-4">
              Top up
            </Link>{" "}
            so that you can keep ordering, or{" "}
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
