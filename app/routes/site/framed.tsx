import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { Outlet, useLoaderData } from "@remix-run/react";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { DashboardNav } from "#app/components/navigation/dashboard-nav.tsx";
import { readShownWallet } from "#app/orders/wallet/wallet.server.ts";
import { WalletNotices } from "#app/orders/wallet/wallet-notices.tsx";

export async function loader({ request, context }: LoaderFunctionArgs) {
  const viewer = await readViewer(request, context);
  return { wallet: viewer && (await readShownWallet(context.db, viewer.userId)) };
}

/** Wraps pages for both customers and visitors. Customers get the dashboard's frame. */
export default function Framed() {
  const { wallet } = useLoaderData<typeof loader>();
  return (
    <>
      {wallet && <DashboardNav wallet={wallet} />}
      <main
        id="main"
        tabIndex={-1}
        className={`mx-auto w-full flex-1 px-4 py-8 outline-none sm:px-6 sm:py-10 ${wallet ? "max-w-6xl" : "max-w-3xl"}`}
      >
        {wallet && <WalletNotices wallet={wallet} />}
        <div className="max-w-3xl">
          <Outlet />
        </div>
      </main>
    </>
  );
}
