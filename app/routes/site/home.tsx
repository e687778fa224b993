import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData, useRouteLoaderData } from "@remix-run/react";
import { useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import type { Formats } from "#app/components/formats/number-formats.ts";
import { describePage, originOf } from "#app/components/page/page-meta.ts";
import { ApiExample, HowItWorks, Questions, Start } from "#app/landing/landing-sections.tsx";
import { structuredData } from "#app/landing/structured-data.ts";
import { type LandingCatalog, summarizeCatalog } from "#app/orders/catalog/landing-catalog.server.ts";
import { startQuantity } from "#app/orders/catalog/service-options.tsx";
import { Calculator, type Choice } from "#app/orders/placing/calculator.tsx";
import { PRODUCT_NAME } from "#app/product.ts";
import type { loader as rootLoader } from "#app/root.tsx";

const DESCRIPTION =
  "Pick a network, a service and a quantity, see the exact charge, and order it here or through the API.";

export const meta: MetaFunction = ({ matches }) => [
  ...describePage(matches, {
    title: `${PRODUCT_NAME}: followers, likes and views by the number`,
    description: DESCRIPTION,
    path: "/",
  }),
  { "script:ld+json": structuredData(originOf(matches)) },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { version, services } = await context.catalog.listed(context.db);
  return { catalog: { version, ...summarizeCatalog(services) }, origin: new URL(request.url).origin };
}

export default function Home() {
  const { catalog, origin } = useLoaderData<typeof loader>();
  const viewer = useRouteLoaderData<typeof rootLoader>("root")?.viewer ?? null;
  const formats = useFormats();
  const [first] = catalog.offers;
  const [choice, setChoice] = useState<Choice | null>(first ? { offer: first, quantity: startQuantity(first) } : null);

  return (
    <main id="main" tabIndex={-1} className="outline-none">
      <div className="mx-auto max-w-6xl px-4 sm:px-6">
        <div className="relative pt-14 pb-10 sm:pt-24 sm:pb-14">
          <Rise />
          <h1 className="relative max-w-[13ch] text-[40px] leading-[1.05] tracking-[-0.035em] sm:text-[64px]">
            Order growth by the number.
          </h1>
          <p className="relative mt-5 max-w-[42ch] text-base text-muted sm:text-lg">
            Followers, likes, views and more, from one catalog and one balance. The price you see is what you pay.
          </p>
        </div>
        {choice ? (
          <>
            <Calculator catalog={catalog} choice={choice} onChoose={setChoice} signedIn={viewer !== null} />
            <p className="mt-3 text-sm text-muted">{extentOf(catalog, formats)}</p>
          </>
        ) : (
          <p className="rounded-md border border-line bg-raised p-6 text-muted">
            No services are on sale right now. Please check back later.
          </p>
        )}
      </div>
      <div className="mx-auto mt-20 max-w-6xl px-4 sm:mt-28 sm:px-6">
        <HowItWorks />
        <ApiExample origin={origin} service={choice?.offer.id ?? 1} quantity={choice?.quantity || "1000"} />
        <Questions />
        <Start signedIn={viewer !== null} />
      </div>
    </main>
  );
}

/** "34 services on 11 networks", counted from the live catalog. */
function extentOf({ services, networkCount, lowestRate }: LandingCatalog, { exactMoney, number }: Formats): string {
  const from = lowestRate === null ? "" : `, from ${exactMoney(lowestRate)} per ${number(1000)}`;
  return `${number(services)} services on ${number(networkCount)} networks${from}.`;
}

/** The mark, drawn large. */
function Rise() {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 600 280"
      fill="none"
      className="absolute right-0 bottom-0 hidden h-full w-[54%] lg:block"
      preserveAspectRatio="xMaxYMax meet"
    >
      {[70, 140, 210, 279].map((y) => (
        <path key={y} d={`M0 ${y}H600`} className="stroke-line" strokeDasharray="2 6" />
      ))}
      <path
        d="M0 258 90 240 170 246 262 196 340 204 424 128 500 112 590 36"
        className="stroke-accent"
        strokeWidth="2.5"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="590" cy="36" r="5" className="fill-accent" />
    </svg>
  );
}
