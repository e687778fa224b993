import type { LinksFunction, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import History from "lucide-react/icons/history";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Rate } from "#app/components/formats/money-amount.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Pager } from "#app/components/navigation/pager.tsx";
import { describePage } from "#app/components/page/page-meta.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { withParams } from "#app/http/requests/query-params.ts";
import { changedTerms, kindOfChange, priceChange } from "#app/orders/catalog/service-change-text.ts";
import { listNews } from "#app/orders/catalog/service-changes.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { readUpdates } from "#app/site-settings/updates.server.ts";

const PATH = "/updates";
const CHANGES_PER_PAGE = 50;

export const meta: MetaFunction = ({ matches }) =>
  describePage(matches, {
    title: `Service updates · ${PRODUCT_NAME}`,
    description: `New services, price changes and services taken off sale at ${PRODUCT_NAME}, newest first.`,
    path: PATH,
  });

export const links: LinksFunction = () => [
  { rel: "alternate", type: "application/rss+xml", title: `${PRODUCT_NAME} service updates`, href: "/updates.xml" },
];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const before = parseVersion(new URL(request.url).searchParams.get("before"));
  const [news, updates] = await Promise.all([
    listNews(context.replicaDb, { before, limit: CHANGES_PER_PAGE }),
    before === null ? readUpdates(context.replicaDb, Date.now()) : [],
  ]);
  return { ...news, updates, before };
}

/** Returns a version of the catalog, which is larger than other ids, or null. */
function parseVersion(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

type Change = Awaited<ReturnType<typeof loader>>["changes"][number];

export default function Updates() {
  const { changes, updates, next, before } = useLoaderData<typeof loader>();
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-3xl flex-1 px-4 py-10 outline-none sm:px-6 sm:py-14">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h1 className="text-3xl">Service updates</h1>
        <a href="/updates.xml" className="inline-flex h-11 items-center text-sm underline underline-offset-4 sm:h-8">
          Subscribe by RSS
        </a>
      </div>
      <p className="mt-3 max-w-prose text-muted">
        New services, changed prices and terms, and services taken off sale. Orders that are already placed keep their
        price and terms.
      </p>
      {updates.length > 0 && (
        <ul aria-label="Announcements" className="mt-8 overflow-clip rounded-md border border-line bg-raised">
          {updates.map(({ id, body, link, linkLabel, startsAt }) => (
            <li
              key={id}
              id={`announcement-${id}`}
              className="border-b border-line px-4 py-3 text-sm last:border-b-0 sm:px-5"
            >
              <span className="text-muted">
                <RelativeDate at={startsAt} />
              </span>
              <p className="mt-1 break-words">
                {body}{" "}
                {link && (
                  <a href={link} className="underline underline-offset-4">
                    {linkLabel}
                  </a>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
      <div className="mt-8 overflow-clip rounded-md border border-line bg-raised">
        {changes.length > 0 ? (
          <ol>
            {changes.map((change) => (
              <ChangeItem key={change.version} change={change} />
            ))}
          </ol>
        ) : (
          <EmptyState icon={History} title={before === null ? "No updates yet" : "No older updates"}>
            {before === null ? "Changes of services and prices appear here." : "Updates are kept for 90 days."}
          </EmptyState>
        )}
        <Pager
          newest={before === null ? null : PATH}
          older={next === null ? null : withParams(PATH, { before: next })}
        />
      </div>
    </main>
  );
}

function ChangeItem({ change }: { change: Change }) {
  const formats = useFormats();
  const { serviceId, before, after, createdAt, version } = change;
  const shown = after ?? before;
  const kind = kindOfChange(change);
  const terms = changedTerms(change, formats);
  return (
    <li id={`change-${version}`} className="border-b border-line px-4 py-3 text-sm last:border-b-0 sm:px-5">
      {/* The date is shorter once it is relative. At the left, nothing moves then. */}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <ChangeBadge change={change} />
        <span className="text-muted">
          <RelativeDate at={createdAt} />
        </span>
      </div>
      <h2 className="mt-1.5 text-base break-words">{shown?.name}</h2>
      <p className="mt-0.5 break-words text-muted">
        {shown?.category} · ID <span className="font-mono">{serviceId}</span>
      </p>
      {kind === "added" && after && (
        <p className="mt-1.5">
          <Rate micro={after.rate} /> {unitOf(after.type)} · {formats.number(after.min)}–{formats.number(after.max)}
        </p>
      )}
      {terms.length > 0 && (
        <ul className="mt-1.5 flex flex-col gap-0.5">
          {terms.map((term) => (
            <li key={term} className="tabular break-words">
              {term}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function ChangeBadge({ change }: { change: Change }) {
  const kind = kindOfChange(change);
  if (kind === "added") return <Badge tone="good">On sale</Badge>;
  if (kind === "removed") return <Badge tone="bad">Off sale</Badge>;
  const difference = priceChange(change);
  if (difference === null) return <Badge tone="neutral">Changed terms</Badge>;
  return difference > 0 ? <Badge tone="warn">Price up</Badge> : <Badge tone="good">Price down</Badge>;
}

function unitOf(type: string): string {
  return type === "Package" || type === "Custom Comments Package" ? "per order" : "per 1,000";
}
