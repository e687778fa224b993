import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, Outlet, useLoaderData } from "@remix-run/react";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { requireViewer } from "#app/accounts/viewer.server.ts";
import { DashboardNav } from "#app/components/dashboard-nav.tsx";
import { useFormats } from "#app/components/formats.tsx";
import { readWallet } from "#app/orders/wallet.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Dashboard · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  return readWallet(context.db, userId);
}

/** What the customer's pages share: where they are, the balance, and a word when it is low. */
export default function Dashboard() {
  const { money } = useFormats();
  const { balance, owed, lowBalanceAt } = useLoaderData<typeof loader>();
  const isLow = owed === 0 && lowBalanceAt !== null && balance < lowBalanceAt;
  return (
    <>
      <DashboardNav balance={money(balance)} isLow={isLow || owed > 0} />
      <main id="main" tabIndex={-1} className="mx-auto w-full max-w-6xl flex-1 px-4 py-8 outline-none sm:px-6 sm:py-10">
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
        {isLow && (
          <p
            role="status"
            className="mb-6 flex items-start gap-2 rounded-md bg-warn-wash px-3 py-2.5 text-sm text-warn print:hidden"
          >
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            <span>
              Your balance is below {money(lowBalanceAt)}.{" "}
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
        <Outlet />
      </main>
    </>
  );
}
