import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { isRouteErrorResponse, Outlet, useLoaderData, useRouteError, useRouteLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { ConsoleNav } from "#app/components/navigation/console-nav.tsx";
import { ConsoleNotFound } from "#app/components/navigation/console-not-found.tsx";
import { consoleGroups } from "#app/console/navigation/console-pages.server.ts";
import { countWaiting } from "#app/console/orders/list/staff-order-list.server.ts";
import { headersOfError } from "#app/http/requests/allowed-methods.ts";
import { RouteError } from "#app/native/network/route-error.tsx";
import { PRODUCT_NAME } from "#app/product.ts";
import { PaletteButton } from "#app/support/console/palette/palette-button.tsx";
import { PaletteLoader } from "#app/support/console/palette/palette-loader.tsx";

/** The id of this route, whose data its error page shows. */
const ROUTE_ID = "routes/admin/layout";

export const meta: MetaFunction = ({ error }) => [
  { title: isMissing(error) ? `Page not found · ${PRODUCT_NAME}` : PRODUCT_NAME },
];

export const headers = headersOfError;

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { role } = await requireRole(request, context, "agent", "admin");
  return { groups: consoleGroups(role === "admin" ? "admin" : "agent"), waiting: await countWaiting(context.db) };
}

type Shown = Awaited<ReturnType<typeof loader>>;

export default function ConsoleLayout() {
  return (
    <Frame {...useLoaderData<typeof loader>()}>
      <Outlet />
    </Frame>
  );
}

/** Keeps the navigation where a page isn't there. Other errors have the product's error page. */
export function ErrorBoundary() {
  const error = useRouteError();
  const shown = useRouteLoaderData<typeof loader>(ROUTE_ID);
  if (!shown || !isMissing(error)) return <RouteError />;
  return (
    <Frame {...shown}>
      <ConsoleNotFound groups={shown.groups} />
    </Frame>
  );
}

function Frame({ groups, waiting, children }: Shown & { children: ReactNode }) {
  return (
    <>
      <PaletteLoader pages={groups.flatMap(({ pages }) => pages)} />
      <ConsoleNav groups={groups} waiting={waiting} tool={<PaletteButton />} />
      <main id="main" tabIndex={-1} className="mx-auto w-full max-w-frame flex-1 px-4 py-8 outline-none sm:px-6">
        {children}
      </main>
    </>
  );
}

function isMissing(error: unknown): boolean {
  return isRouteErrorResponse(error) && error.status === 404;
}
