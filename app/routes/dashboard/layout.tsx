import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Outlet, useLoaderData, useLocation } from "@remix-run/react";
import { ConfirmEmailNotice } from "#app/accounts/email-address/confirm-email-notice.tsx";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { DashboardNav } from "#app/components/navigation/dashboard-nav.tsx";
import { readShownWallet } from "#app/orders/wallet/wallet.server.ts";
import { WalletNotices } from "#app/orders/wallet/wallet-notices.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = () => [{ title: `Dashboard · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId, email, emailConfirmed } = await requireViewer(request, context);
  return { wallet: await readShownWallet(context.db, userId), unconfirmedEmail: emailConfirmed ? null : email };
}

/** The frame of the customer's pages: navigation, balance, and notices about the email address, a low balance or a debt. */
export default function Dashboard() {
  const { wallet, unconfirmedEmail } = useLoaderData<typeof loader>();
  // There, the card form says it.
  const isTopUp = useLocation().pathname === "/dashboard/top-up";
  return (
    <>
      <DashboardNav wallet={wallet} />
      <main id="main" tabIndex={-1} className="mx-auto w-full max-w-6xl flex-1 px-4 py-8 outline-none sm:px-6 sm:py-10">
        {unconfirmedEmail !== null && !isTopUp && <ConfirmEmailNotice email={unconfirmedEmail} />}
        <WalletNotices wallet={wallet} />
        <Outlet />
      </main>
    </>
  );
}
