import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, NavLink, Outlet, useLoaderData } from "@remix-run/react";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { requireViewer } from "#app/accounts/viewer.server.ts";
import { formatMoney } from "#app/orders/money.ts";
import { readWallet } from "#app/orders/wallet.server.ts";
import { CURRENCY, PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Dashboard · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  return readWallet(context.db, userId);
}

const PAGES = [
  { to: "/dashboard", label: "Overview", end: true },
  { to: "/dashboard/orders", label: "Orders", end: true },
  { to: "/dashboard/orders/mass", label: "Mass order", end: false },
  { to: "/dashboard/transactions", label: "Transactions", end: false },
  { to: "/dashboard/api", label: "API", end: false },
  { to: "/upload", label: "Files", end: false },
  { to: "/dashboard/top-up", label: "Top up", end: false },
  { to: "/gmail-sync", label: "Mail", end: false },
  { to: "/dashboard/account", label: "Account", end: false },
];

/** What the customer's pages share: where they are, the balance, and a word when it is low. */
export default function Dashboard() {
  const { balance, lowBalanceAt } = useLoaderData<typeof loader>();
  const isLow = lowBalanceAt !== null && balance < lowBalanceAt;
  return (
    <>
      <div className="border-b border-line print:hidden">
        <nav aria-label="Dashboard" className="mx-auto flex max-w-6xl items-center gap-4 px-4 sm:px-6">
          <div className="-mx-3 flex min-w-0 flex-1 overflow-x-auto">
            {PAGES.map(({ to, label, end }) => (
              <NavLink
                key={to}
                to={to}
                end={end}
                className="-mb-px flex h-12 items-center border-b-2 border-transparent px-3 text-sm whitespace-nowrap text-muted transition-colors hover:text-text focus-visible:-outline-offset-2 aria-[current=page]:border-accent aria-[current=page]:text-text"
              >
                {label}
              </NavLink>
            ))}
          </div>
          <Link
            to="/dashboard/transactions"
            className="flex h-12 shrink-0 items-center gap-2 text-sm whitespace-nowrap text-muted hover:text-text focus-visible:-outline-offset-2"
          >
            <span className="sr-only sm:not-sr-only">Balance</span>
            <span className={`tabular font-medium ${isLow ? "text-warn" : "text-text"}`}>
              {formatMoney(balance, CURRENCY)}
            </span>
          </Link>
        </nav>
      </div>
      <main id="main" tabIndex={-1} className="mx-auto w-full max-w-6xl flex-1 px-4 py-8 outline-none sm:px-6 sm:py-10">
        {isLow && (
          <p
            role="status"
            className="mb-6 flex items-start gap-2 rounded-md bg-warn-wash px-3 py-2.5 text-sm text-warn print:hidden"
          >
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            <span>
              Your balance is below {formatMoney(lowBalanceAt, CURRENCY)}.{" "}
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
