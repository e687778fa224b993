import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { Link, useActionData, useFetcher, useLoaderData } from "@remix-run/react";
import Package from "lucide-react/icons/package";
import { type ReactNode, useState } from "react";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Input } from "#app/components/forms/field.tsx";
import { Button, ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Chart } from "#app/components/ui/chart.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { parseId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { listFavorites } from "#app/orders/catalog/favorites.server.ts";
import { findOffers, readOffer } from "#app/orders/catalog/offers.server.ts";
import { useCatalog } from "#app/orders/catalog/use-catalog.ts";
import { listOrderPage } from "#app/orders/list/order-list.server.ts";
import { type OrderDetail, readOrderDetail } from "#app/orders/list/order-rows.server.ts";
import { OrderTable } from "#app/orders/list/order-table.tsx";
import { OrderForm } from "#app/orders/placing/order-form.tsx";
import { newFormKey, ORDER_FORM_LIMIT, placeFromForm } from "#app/orders/placing/place-order-form.server.ts";
import { MICRO } from "#app/orders/rules/money.ts";
import { readSpending } from "#app/orders/wallet/spending.server.ts";
import { readWallet } from "#app/orders/wallet/wallet.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const ORDERS_SHOWN = 10;
const DAYS_SHOWN = 30;

export const meta: MetaFunction = () => [{ title: `Dashboard · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const { db } = context;
  const { searchParams } = new URL(request.url);
  const find = searchParams.get("find")?.trim() ?? "";
  const repeated = parseId(searchParams.get("repeat"));
  const [favorites, { balance }, recent, spending, repeat, found] = await Promise.all([
    listFavorites(db, userId),
    readWallet(db, userId),
    listOrderPage(db, userId, { filter: "all", search: "", before: null }, ORDERS_SHOWN),
    readSpending(db, userId, DAYS_SHOWN, Date.now()),
    repeated === null ? null : readOrderDetail(db, userId, repeated),
    find === "" ? null : findOffers(db, find),
  ]);
  const asked = repeat
    ? valuesToRepeat(repeat)
    : Object.fromEntries([...searchParams].filter(([name]) => ASKED.has(name)));
  const wanted = parseId(asked.service) ?? favorites[0]?.id ?? null;
  const first = (await readOffer(db, wanted)) ?? (wanted === null ? null : await readOffer(db, null));
  return { userId, idempotencyKey: newFormKey(), asked, first, favorites, balance, recent, spending, find, found };
}

const ASKED = new Set(["service", "quantity", "link"]);

/** `again` lets the form place a second order of the same content. */
function valuesToRepeat(order: OrderDetail): Record<string, string> {
  return { ...order.fields, again: String(order.id), service: String(order.serviceId) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const form = await readForm(request, ORDER_FORM_LIMIT);
  if (form.get("intent") !== "order") throw data(null, 400);
  const order = await placeFromForm(context, userId, form);
  // For a page without scripts, which has no memory of what was chosen.
  const offer = await readOffer(context.db, parseId(form.get("service")));
  return data({ order, offer }, order.ok ? 200 : 400);
}

export default function Overview() {
  const { money, number } = useFormats();
  const { userId, first, favorites, balance, recent, spending, idempotencyKey, asked, find, found } =
    useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  // A fetcher keeps its answer while the page refreshes itself; action data would be dropped.
  const sender = useFetcher<typeof action>();
  const catalog = useCatalog();
  const placed = sender.data?.order ?? answer?.order ?? null;
  // A placed order starts a new form; a refused one keeps what was typed.
  const [formAfter, setFormAfter] = useState(0);
  if (placed?.ok && placed.orderId !== formAfter) setFormAfter(placed.orderId);
  const [chosen, setChosen] = useState(answer?.offer ?? first);
  const [seen, setSeen] = useState(asked);
  if (JSON.stringify(seen) !== JSON.stringify(asked)) {
    setSeen(asked);
    setChosen(first);
  }
  const spent = spending.reduce((sum, day) => sum + day.spent, 0);
  const orders = spending.reduce((sum, day) => sum + day.orders, 0);
  const values = answer && placed && !placed.ok ? placed.values : asked;

  return (
    <div className="flex flex-col">
      <h1 className="text-2xl">Dashboard</h1>
      <section
        aria-label="Balance and spending"
        className="mt-6 grid overflow-clip rounded-md border border-line bg-raised max-lg:order-last max-lg:mt-8 lg:grid-cols-[240px_1fr_1fr]"
      >
        <dl className="grid grid-cols-2 gap-4 border-b sm:grid-cols-3 border-line p-4 text-sm sm:p-5 lg:grid-cols-1 lg:border-r lg:border-b-0">
          <Figure label="Balance" value={<Money micro={balance} />} large />
          <Figure label={`Spent in ${DAYS_SHOWN} days`} value={<Money micro={spent} />} />
          <Figure label={`Orders in ${DAYS_SHOWN} days`} value={number(orders)} />
        </dl>
        <div className="min-w-0 p-4 sm:p-5">
          <Chart
            title={`Spending a day, last ${DAYS_SHOWN} days (UTC)`}
            kind="bars"
            points={spending.map(({ day, spent: value }) => ({ day, value: value / MICRO }))}
            format={(value) => money(value * MICRO)}
          />
        </div>
        <div className="min-w-0 border-t border-line p-4 sm:p-5 lg:border-t-0 lg:border-l">
          <Chart
            title="Balance at the end of each day"
            kind="line"
            points={spending.map(({ day, balance: value }) => ({ day, value: value / MICRO }))}
            format={(value) => money(value * MICRO)}
          />
        </div>
      </section>
      <section aria-labelledby="new-order" className="mt-8">
        <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <h2 id="new-order" className="scroll-mt-6 text-sm">
            New order
          </h2>
          <Favorites favorites={favorites} />
        </div>
        <FindWithoutScripts find={find} found={found} />
        {chosen ? (
          <OrderForm
            key={`${formAfter} ${JSON.stringify(asked)}`}
            draftKey={`order:${userId} ${JSON.stringify(asked)}`}
            catalog={catalog}
            chosen={chosen}
            onChoose={setChosen}
            favorites={new Set(favorites.map(({ id }) => id))}
            balance={balance}
            idempotencyKey={idempotencyKey}
            values={values}
            result={placed}
            sender={sender}
          />
        ) : (
          <p className="rounded-md border border-line bg-raised p-5 text-sm text-muted">
            The catalog is empty at the moment, so nothing can be ordered. Please come back later.
          </p>
        )}
      </section>
      <div className="mt-8">
        <Card
          title="Recent orders"
          titleId="orders"
          flush
          aside={
            <ButtonLink to="/dashboard/orders" variant="quiet">
              All orders
            </ButtonLink>
          }
        >
          {recent.rows.length > 0 ? (
            <OrderTable orders={recent.rows} label="Recent orders" />
          ) : (
            <EmptyState icon={Package} title="No orders yet">
              What you order here or through the API is listed with its progress. Place the first one with the form
              above.
            </EmptyState>
          )}
        </Card>
      </div>
    </div>
  );
}

function Figure({ label, value, large = false }: { label: string; value: ReactNode; large?: boolean }) {
  return (
    <div className={`min-w-0 ${large ? "max-sm:col-span-2" : ""}`}>
      <dt className="text-muted">{label}</dt>
      <dd className={`tabular font-semibold tracking-tight ${large ? "text-xl lg:text-2xl" : "text-base lg:text-lg"}`}>
        {value}
      </dd>
    </div>
  );
}

const FAVORITES_SHOWN = 4;

function Favorites({ favorites }: { favorites: { id: number; name: string }[] }) {
  if (favorites.length === 0) return null;
  return (
    <ul aria-label="Favorites" className="flex min-w-0 flex-wrap gap-x-4 text-sm">
      {favorites.slice(0, FAVORITES_SHOWN).map(({ id, name }) => (
        <li key={id}>
          <Link
            to={`/dashboard?service=${id}`}
            preventScrollReset
            className="flex h-11 max-w-56 items-center text-muted hover:text-text sm:h-8"
          >
            <span className="truncate">{name}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** With scripts the form itself searches. */
function FindWithoutScripts({ find, found }: { find: string; found: { id: number; name: string }[] | null }) {
  return (
    <div className="mb-3 hidden noscript:block">
      <form action="/dashboard" className="flex gap-2">
        <Input name="find" defaultValue={find} aria-label="Find a service by its name" placeholder="instagram likes" />
        <Button type="submit" variant="secondary" className="sm:h-10">
          Find
        </Button>
      </form>
      {found && (
        <ul className="mt-2 text-sm">
          {found.length === 0 && <li className="text-muted">No service fits. Try fewer words.</li>}
          {found.map(({ id, name }) => (
            <li key={id}>
              <a
                href={`/dashboard?service=${id}`}
                className="flex h-11 items-center underline underline-offset-4 sm:h-8"
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
