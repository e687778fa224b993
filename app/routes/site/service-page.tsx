import { data, type LoaderFunctionArgs, type MetaFunction, redirect } from "@remix-run/cloudflare";
import { Form, Link, useLoaderData, useRouteLoaderData } from "@remix-run/react";
import { useRef, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money, Rate } from "#app/components/formats/money-amount.tsx";
import { formatsOf } from "#app/components/formats/number-formats.ts";
import { Field, Input } from "#app/components/forms/field.tsx";
import { useFieldsAtHydration } from "#app/components/hydration/use-fields-at-hydration.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { describePage, originOf } from "#app/components/page/page-meta.ts";
import { Button, ButtonLink } from "#app/components/ui/button.tsx";
import { parseId } from "#app/http/requests/id-param.ts";
import { serviceData } from "#app/landing/structured-data.ts";
import { PriceLines } from "#app/orders/catalog/price-list/price-lines.tsx";
import { readPricedService } from "#app/orders/catalog/price-list/price-list.server.ts";
import { PRICE_LIST_PATH, priceListPath } from "#app/orders/catalog/price-list/price-list-paths.ts";
import { ServiceFacts } from "#app/orders/catalog/price-list/service-facts.tsx";
import { servicePath } from "#app/orders/catalog/price-list/service-path.ts";
import { limitsText, startQuantity } from "#app/orders/catalog/service-options.tsx";
import { daysText } from "#app/orders/delivery/days-text.ts";
import { quote } from "#app/orders/placing/quotes/quote.ts";
import { withCharge } from "#app/orders/placing/receipt.tsx";
import { PRODUCT_NAME } from "#app/product.ts";
import type { loader as rootLoader } from "#app/root.tsx";

type Service = NonNullable<Awaited<ReturnType<typeof readPricedService>>>;

export const meta: MetaFunction<typeof loader> = ({ matches, data }) => {
  const service = data?.service;
  if (!service) return [{ title: `Not on sale · ${PRODUCT_NAME}` }];
  const origin = originOf(matches);
  return [
    ...describePage(matches, {
      title: `${service.name}: ${priceOf(service)} · ${PRODUCT_NAME}`,
      description: descriptionOf(service),
      path: servicePath(service),
    }),
    { "script:ld+json": serviceData(origin, service) },
  ];
};

export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const id = parseId(/^(\d+)(?:-|$)/.exec(params.service ?? "")?.[1]);
  const service =
    id && (await readPricedService(context.replicaDb, await context.catalog.listed(context.replicaDb), id));
  if (!service) return data({ service: null }, 404);
  const { pathname, search } = new URL(request.url);
  const path = servicePath(service);
  // One address per service. A changed name leads from the old one.
  if (pathname !== path) throw redirect(path + search, 301);
  return { service };
}

export default function ServicePage() {
  const { service } = useLoaderData<typeof loader>();
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-6xl flex-1 px-4 py-8 outline-none sm:px-6 sm:py-10">
      {service ? <PricedService service={service} /> : <NotOnSale />}
    </main>
  );
}

function PricedService({ service }: { service: Service }) {
  const { network, category, name, description, similar } = service;
  return (
    <>
      <BackLink to={priceListPath({ network })}>{`All ${network} services`}</BackLink>
      <h1 className="mt-2 max-w-[30ch] text-3xl">{name}</h1>
      <p className="mt-2 text-sm text-muted">
        <Link to={priceListPath({ network, category })} className="underline underline-offset-4 hover:text-text">
          {service.group}
        </Link>{" "}
        · ID <span className="font-mono">{service.id}</span>
      </p>
      <div className="mt-8 grid gap-8 lg:grid-cols-[1fr_380px] lg:items-start">
        <div className="order-last min-w-0 lg:order-none">
          {description && <p className="mb-6 max-w-prose whitespace-pre-line">{description}</p>}
          <h2 className="mb-3 text-lg">What you get</h2>
          <ServiceFacts service={service} />
          {service.refill && <RefillClaim days={service.refillDays} />}
          <Risks network={network} refill={service.refill} />
        </div>
        <Price service={service} />
      </div>
      {similar.length > 0 && (
        <section aria-labelledby="similar" className="mt-12">
          <h2 id="similar" className="mb-3 text-lg">
            More: {service.group}
          </h2>
          <PriceLines lines={similar} />
        </section>
      )}
    </>
  );
}

function Price({ service }: { service: Service }) {
  const { number } = useFormats();
  const viewer = useRouteLoaderData<typeof rootLoader>("root")?.viewer ?? null;
  return (
    <section aria-label="Price" className="rounded-md border border-line bg-raised p-5 sm:p-6">
      <p className="text-sm text-muted">{service.perOrder ? "Price per order" : `Price per ${number(1000)}`}</p>
      <p className="mt-1 text-3xl font-semibold tracking-tight">
        <Rate micro={service.rate} />
      </p>
      {service.byPosts ? (
        <p className="mt-4 border-t border-line pt-3 text-sm text-muted">
          You pay for each post: the most per post, times the posts you choose. The form shows the exact charge.
        </p>
      ) : (
        !service.perOrder && <Examples service={service} />
      )}
      <OrderStart key={service.id} service={service} signedIn={viewer !== null} />
      <p className="mt-3 text-sm text-muted">
        {viewer
          ? "Next, check your order. You aren't charged until you place it."
          : "Next, create an account. You aren't charged until you place the order."}
      </p>
    </section>
  );
}

/** Takes the link and the quantity along to the order form, through sign-up where it is needed. */
function OrderStart({ service, signedIn }: { service: Service; signedIn: boolean }) {
  const formats = useFormats();
  const { takes, asksQuantity } = service;
  const [quantity, setQuantity] = useState(startQuantity(service));
  const form = useRef<HTMLFormElement>(null);
  useFieldsAtHydration(form, (fields) => setQuantity(String(fields.get("quantity") ?? quantity)));
  const quoted = quote({ ...service, countedBy: null }, { quantity, list: "", runs: "" });
  return (
    <Form
      ref={form}
      action={signedIn ? "/dashboard" : "/auth/signup"}
      aria-label="Order"
      className="mt-5 flex flex-col gap-4"
    >
      <input type="hidden" name="service" value={service.id} />
      {takes !== null && (
        <Field id="service-link" label="Link" optional help={`To ${takes}. You can also enter it later.`}>
          {(control) => (
            <Input
              {...control}
              type="text"
              name="link"
              inputMode="url"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              placeholder="https://"
            />
          )}
        </Field>
      )}
      {asksQuantity && (
        <Field id="service-quantity" label="Quantity" help={limitsText(service, formats)}>
          {(control) => (
            <Input
              {...control}
              name="quantity"
              inputMode="numeric"
              autoComplete="off"
              value={quantity}
              onChange={(event) => setQuantity(event.target.value)}
            />
          )}
        </Field>
      )}
      <Button type="submit" size="large" className="w-full">
        {asksQuantity ? withCharge("Order", quoted, formats) : "Order"}
      </Button>
    </Form>
  );
}

const EXAMPLES = [1000, 5000, 25_000];

/** The exact charge of the smallest order and of a few usual ones. */
function Examples({ service }: { service: Service }) {
  const { number } = useFormats();
  const { min, max } = service;
  const quantities = [...new Set([min, ...EXAMPLES.filter((one) => one > min && one <= max)])];
  return (
    <dl className="mt-4 border-t border-line text-sm">
      {quantities.map((quantity) => {
        const { charge } = quote({ ...service, countedBy: null }, { quantity: String(quantity), list: "", runs: "" });
        return (
          <div key={quantity} className="flex justify-between gap-4 border-b border-line py-2">
            <dt className="tabular text-muted">{number(quantity)}</dt>
            <dd>{charge === null ? "—" : <Money micro={charge} />}</dd>
          </div>
        );
      })}
    </dl>
  );
}

/** `days` is null if the service sets no deadline. */
function RefillClaim({ days }: { days: number | null }) {
  return (
    <section aria-labelledby="refill-claim" className="mt-10">
      <h2 id="refill-claim" className="mb-3 text-lg">
        How to claim a refill
      </h2>
      <ol className="flex max-w-prose list-decimal flex-col gap-1.5 pl-5 text-sm text-muted">
        <li>
          {days === null
            ? "Once the order has ended, open it in your dashboard and press Request refill. It's free."
            : `Within ${daysText(days)} of the order's end, open it in your dashboard and press Request refill. It's free, and the order's page shows the deadline.`}
        </li>
        <li>We pass it to the provider, and the order shows whether it's in progress, completed or rejected.</li>
        <li>A refill replaces what dropped below the delivered quantity. It doesn't pay money back.</li>
      </ol>
    </section>
  );
}

function Risks({ network, refill }: { network: string; refill: boolean }) {
  return (
    <section aria-labelledby="risks" className="mt-10">
      <h2 id="risks" className="mb-3 text-lg">
        Before you order
      </h2>
      <p className="max-w-prose text-sm text-muted">
        {network} may remove bought engagement at any time, and its rules may allow it to restrict the account.{" "}
        {refill
          ? "A refill replaces what was removed, not a restricted account. "
          : "This service doesn't replace what was removed. "}
        Read {network}'s rules first; the decision is yours.
      </p>
    </section>
  );
}

function NotOnSale() {
  return (
    <>
      <h1 className="text-3xl">This service isn't on sale</h1>
      <p className="mt-3 max-w-prose text-muted">
        It may have been taken off sale, or the address has a typo. Orders that were placed continue as usual.
      </p>
      <div className="mt-8 flex flex-wrap gap-3">
        <ButtonLink to={PRICE_LIST_PATH}>Open the price list</ButtonLink>
        <ButtonLink to="/" variant="secondary">
          Go to the home page
        </ButtonLink>
      </div>
    </>
  );
}

/** Texts for search engines are in en-US for everybody. */
function priceOf({ rate, perOrder }: Service): string {
  return `${formatsOf("en-US").exactMoney(rate)} ${perOrder ? "per order" : "per 1,000"}`;
}

function descriptionOf(service: Service): string {
  const { number } = formatsOf("en-US");
  const { perOrder, byPosts, min, max, refill, cancel } = service;
  const limits = perOrder ? "" : ` From ${number(min)} to ${number(max)} per ${byPosts ? "post" : "order"}.`;
  return `${service.name} for ${priceOf(service)}.${limits} ${refill ? "With" : "Without"} refill, ${cancel ? "cancelable" : "not cancelable"}. See delivery time and risks before you order.`;
}
