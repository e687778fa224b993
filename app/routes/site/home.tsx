import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData, useRouteLoaderData } from "@remix-run/react";
import { lazy, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import type { Formats } from "#app/components/formats/number-formats.ts";
import { ServerHtml } from "#app/components/hydration/server-html.tsx";
import { describePage } from "#app/components/page/page-meta.ts";
import { ApiExample } from "#app/landing/api-example.tsx";
import LandingDetails from "#app/landing/landing-details.tsx";
import LandingHero from "#app/landing/landing-hero.tsx";
import { type LandingCatalog, summarizeCatalog } from "#app/orders/catalog/landing-catalog.server.ts";
import { priceListPath } from "#app/orders/catalog/price-list/price-list-paths.ts";
import { startQuantity } from "#app/orders/catalog/service-options.tsx";
import { MASS_MAX_LINES } from "#app/orders/mass/mass-lines.server.ts";
import { Calculator, type Choice } from "#app/orders/placing/calculator.tsx";
import { acceptsCards } from "#app/orders/top-up/stripe-client.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import type { loader as rootLoader } from "#app/root.tsx";
import { hoursText } from "#app/support/team/business-hours.ts";
import { readSettings } from "#app/support/team/support-settings.server.ts";

const LaterHero = lazy(() => import("#app/landing/landing-hero.tsx"));
const LaterDetails = lazy(() => import("#app/landing/landing-details.tsx"));

const DESCRIPTION =
  "Pick a network, a service and a quantity, see the exact charge, and order it here or through the API.";

export const meta: MetaFunction = ({ matches }) => [
  ...describePage(matches, {
    title: `${PRODUCT_NAME}: followers, likes and views by the number`,
    description: DESCRIPTION,
    path: "/",
  }),
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { replicaDb, env } = context;
  const [{ version, services }, support, { settings }] = await Promise.all([
    context.catalog.listed(replicaDb),
    readSettings(replicaDb),
    context.siteState(),
  ]);
  return {
    catalog: { version, ...summarizeCatalog(services) },
    origin: new URL(request.url).origin,
    support: { hours: hoursText(support), email: support.contactEmail },
    policies: { refunds: settings.refund_policy, termsUrl: settings.terms_url },
    acceptsCards: acceptsCards(env),
    massMaxLines: MASS_MAX_LINES,
  };
}

export default function Home() {
  const { catalog, ...details } = useLoaderData<typeof loader>();
  const viewer = useRouteLoaderData<typeof rootLoader>("root")?.viewer ?? null;
  const formats = useFormats();
  const [first] = catalog.offers;
  const landing = { now: import.meta.env.SSR ? LandingDetails : null, later: LaterDetails };
  const shown = { ...details, signedIn: viewer !== null };
  const [choice, setChoice] = useState<Choice | null>(first ? { offer: first, quantity: startQuantity(first) } : null);

  return (
    <main id="main" tabIndex={-1} className="outline-none">
      <div className="mx-auto max-w-6xl px-4 sm:px-6">
        <ServerHtml
          id="hero"
          now={import.meta.env.SSR ? LandingHero : null}
          later={LaterHero}
          props={{ networks: catalog.networks.slice(0, 3).map(({ name }) => name), networkCount: catalog.networkCount }}
        />
        {choice ? (
          <>
            <Calculator catalog={catalog} choice={choice} onChoose={setChoice} signedIn={viewer !== null} />
            <p className="mt-3 text-sm text-muted">
              <Link to={priceListPath({})} className="underline underline-offset-4 hover:text-text">
                {extentOf(catalog, formats)}
              </Link>{" "}
              Networks may remove bought engagement:{" "}
              <a href="#risks" className="underline underline-offset-4 hover:text-text">
                know the risks
              </a>
              .
            </p>
          </>
        ) : (
          <p className="rounded-md border border-line bg-raised p-6 text-muted">
            No services are on sale right now. Please check back later.
          </p>
        )}
      </div>
      <div className="mx-auto mt-20 max-w-6xl px-4 sm:mt-28 sm:px-6">
        <ServerHtml id="details" {...landing} props={{ ...shown, part: "before" }} />
        <ApiExample origin={details.origin} service={choice?.offer.id ?? 1} quantity={choice?.quantity || "1000"} />
        <ServerHtml id="more" {...landing} props={{ ...shown, part: "after" }} />
      </div>
    </main>
  );
}

/** "34 services on 11 networks", counted from the live catalog. */
function extentOf({ services, networkCount, lowestRate }: LandingCatalog, { exactMoney, number }: Formats): string {
  const from = lowestRate === null ? "" : `, from ${exactMoney(lowestRate)} per ${number(1000)}`;
  return `${number(services)} services on ${number(networkCount)} networks${from}.`;
}
