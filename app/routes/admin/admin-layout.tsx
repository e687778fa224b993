import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { Outlet, useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { ConsoleNav } from "#app/components/navigation/console-nav.tsx";
import { countWaiting } from "#app/orders/staff/orders/list/staff-order-list.server.ts";
import { PaletteButton } from "#app/support/console/palette/palette-button.tsx";
import { PaletteLoader } from "#app/support/console/palette/palette-loader.tsx";

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { role } = await requireRole(request, context, "agent", "admin");
  return { role: role === "admin" ? ("admin" as const) : ("agent" as const), waiting: await countWaiting(context.db) };
}

export default function ConsoleLayout() {
  const { role, waiting } = useLoaderData<typeof loader>();
  return (
    <>
      <PaletteLoader role={role} />
      <ConsoleNav role={role} waiting={waiting} tool={<PaletteButton />} />
      <main id="main" tabIndex={-1} className="mx-auto w-full max-w-6xl flex-1 px-4 py-8 outline-none sm:px-6">
        <Outlet />
      </main>
    </>
  );
}
