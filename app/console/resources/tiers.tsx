import { Link } from "@remix-run/react";
import Layers from "lucide-react/icons/layers";
import { TimeCell } from "#app/components/table/row-cells.tsx";
import type { tiers } from "#app/db/schema.server.ts";
import { customersText } from "#app/orders/prices/tier-customers.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { MAX_DISCOUNT } from "#app/product.ts";
import type { EntryWords } from "../resource/entry-words.ts";
import type { Fields } from "../resource/fields.ts";
import type { Resource } from "../resource/resource.ts";

/** A tier with the number of its customers, up to 1,000, and of rates of its own. */
export type TierRow = Pick<typeof tiers.$inferSelect, "id" | "name" | "kind" | "basisPoints" | "updatedAt"> & {
  customers: number;
  rates: number;
};

const KINDS = { percent: "Percent off every rate", fixed: "Its own rates" };

export const TIER_FIELDS = {
  name: { kind: "line", label: "Name", max: 40, help: "Customers see it on their orders." },
  kind: { kind: "choice", label: "Price", values: KINDS },
  percent: {
    ...{ kind: "percent", label: "Percent off", min: 0, max: MAX_DISCOUNT, initial: "10" },
    help: `Only with “${KINDS.percent}”.`,
  },
} as const satisfies Fields;

declare module "../resource/resource.ts" {
  interface ResourceTypes {
    tier: true;
  }
}

const TIERS: Resource<TierRow> = {
  type: "tier",
  page: { name: "tiers", label: "Tiers", follows: "/admin/customers" },
  noun: "a tier",
  intro: "A tier has its own prices. Assign it to a customer on their page. Everyone else pays the usual prices.",
  icon: Layers,
  called: (name) => `the tier “${name}”`,
  nameField: "name",
  once: true,
  hasOwnPages: true,
  fields: TIER_FIELDS,
  form: { new: "Create a tier", add: "Create tier" },
  empty: { title: "No tiers yet", text: "Create one for resellers or your best customers. There can be ten." },
  columns: ({ formats: { number } }) => [
    { name: "name", header: "Tier", cell: ({ name }) => name },
    {
      ...{ name: "price", header: TIER_FIELDS.kind.label, inCard: "text" },
      cell: ({ kind, basisPoints, rates }) =>
        kind === "percent"
          ? `${percentText(basisPoints)} off`
          : `${number(rates)} own ${rates === 1 ? "rate" : "rates"}`,
    },
    {
      ...{ name: "customers", header: "Customers", inCard: "figure", numeric: true },
      cell: ({ id, customers }) => (
        <Link
          to={`/admin/customers?tier=${id}`}
          // A target of 44 px on a phone, without moving the number away from its name.
          className="-my-3 inline-flex min-h-11 min-w-11 items-center underline underline-offset-4 md:my-0 md:min-h-0 md:min-w-0"
        >
          {customersText(customers, number)}
        </Link>
      ),
    },
    {
      ...{ name: "updated", header: "Changed", inCard: "figure", className: "text-muted" },
      cell: ({ updatedAt }) => <TimeCell at={updatedAt} />,
    },
  ],
  // They are changed and deleted on their own pages.
  actions: {},
  sentences: {
    create: (e) => ["created ", e.subject, priceIn(e), e.skip("name", "kind")],
    delete: (e) => ["deleted ", e.subject, e.skip("name")],
  },
  neverUndone: "This is changed where it was done, and not from here.",
};
export default TIERS;

function priceIn(e: EntryWords): string {
  if (e.detail.kind === "fixed") return " with its own rates";
  return e.detail.percent === undefined ? "" : ` with ${e.text("percent")} off every rate`;
}
