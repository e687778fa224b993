import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import SearchX from "lucide-react/icons/search-x";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Pager } from "#app/components/navigation/pager.tsx";
import { describePage } from "#app/components/page/page-meta.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { PriceList } from "#app/orders/catalog/price-list/price-lines.tsx";
import { readPriceList, readPriceListQuery } from "#app/orders/catalog/price-list/price-list.server.ts";
import { PriceListFilters } from "#app/orders/catalog/price-list/price-list-filters.tsx";
import { PRICE_LIST_PATH, priceListPath } from "#app/orders/catalog/price-list/price-list-paths.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction<typeof loader> = ({ matches, data }) => {
  const { q = "", network = "", category = "" } = data?.query ?? {};
  const of = [network, category].filter(Boolean).join(" ");
  return [
    ...describePage(matches, {
      title: `${of ? `${of}: prices` : "Price list"} · ${PRODUCT_NAME}`,
      description: `Every ${of ? `${of} ` : ""}service on sale with its price, limits, refill terms and measured delivery time.`,
      path: priceListPath({ network, category, page: data?.list.page ?? 1 }),
    }),
    // Every search would be a page of its own.
    ...(q === "" ? [] : [{ name: "robots", content: "noindex" }]),
  ];
};

export async function loader({ request, context }: LoaderFunctionArgs) {
  const listed = await context.catalog.listed(context.replicaDb);
  const query = readPriceListQuery(listed.services, new URL(request.url).searchParams);
  return { query, list: await readPriceList(context.replicaDb, listed, query) };
}

/** Every service on sale, searchable without an account and without scripts. */
export default function PriceListPage() {
  const { query, list } = useLoaderData<typeof loader>();
  const { number } = useFormats();
  const { found, total, page, pages, lines } = list;
  const pageAt = (to: number) => priceListPath({ ...query, page: to });
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-6xl flex-1 px-4 py-10 outline-none sm:px-6 sm:py-14">
      <h1 className="text-3xl">Price list</h1>
      <p className="mt-3 max-w-prose text-muted">
        Every service on sale. Prices are per {number(1000)}, packages per order, and nothing is added at checkout.
        Networks don't welcome bought engagement and may remove it:{" "}
        <Link to="/#risks" className="underline underline-offset-4 hover:text-text">
          know the risks
        </Link>
        .
      </p>
      <div className="mt-8">
        <PriceListFilters query={query} networks={list.networks} categories={list.categories} />
      </div>
      <p role="status" className="mt-4 mb-6 text-sm text-muted">
        {found === total ? `${number(total)} services` : `${number(found)} of ${number(total)} services`}
        {pages > 1 && `, page ${number(page)} of ${number(pages)}`}
      </p>
      {lines.length > 0 ? (
        <PriceList lines={lines} />
      ) : (
        <div className="rounded-md border border-line bg-raised">
          <EmptyState
            icon={SearchX}
            title={total === 0 ? "No services are on sale right now" : "No matching services"}
            action={
              total > 0 && (
                <ButtonLink to={PRICE_LIST_PATH} variant="secondary">
                  Show all services
                </ButtonLink>
              )
            }
          >
            {total === 0 ? "Please check back later." : "Try fewer words, or another network or category."}
          </EmptyState>
        </div>
      )}
      {pages > 1 && (
        <div className="mt-6">
          <Pager
            newest={page > 1 ? pageAt(page - 1) : null}
            older={page < pages ? pageAt(page + 1) : null}
            labels={["Previous", "Next"]}
          >
            Page {number(page)} of {number(pages)}
          </Pager>
        </div>
      )}
    </main>
  );
}
