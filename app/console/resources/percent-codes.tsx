import BadgePercent from "lucide-react/icons/badge-percent";
import { Money } from "#app/components/formats/money-amount.tsx";
import { utcDay } from "#app/components/formats/utc-day.ts";
import { TimeCell } from "#app/components/table/row-cells.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import type { percentCodes } from "#app/db/schema.server.ts";
import { percentText } from "#app/orders/rules/margin.ts";
import { MAX_DISCOUNT } from "#app/product.ts";
import type { Fields } from "../resource/fields.ts";
import type { Resource } from "../resource/resource.ts";

/** Without the digest, and who created it. */
export type PercentCodeRow = Omit<typeof percentCodes.$inferSelect, "digest" | "createdBy">;

const ENDS_IN = "Ends in";
const MIN_CODE_CHARACTERS = 6;
const USES = { kind: "count", min: 1, max: 1_000_000 } as const;

export const PERCENT_CODE_FIELDS = {
  name: { kind: "line", label: "Name", max: 60, help: "Customers see it on their order." },
  code: {
    ...{ kind: "line", label: "Code", max: 40, optional: true, check: codeError },
    help: "What customers type. Leave it empty for a random one.",
  },
  percent: { kind: "percent", label: "Percent off", min: 1, max: MAX_DISCOUNT, initial: "10" },
  maxDiscount: { kind: "money", label: "Maximum discount", above: 0, optional: true, help: "Per order." },
  minCharge: {
    ...{ kind: "money", label: "Minimum charge", optional: true },
    help: "What an order costs without the code.",
  },
  network: {
    ...{ kind: "line", label: "Network", max: 60, optional: true, suggestions: true },
    help: "Leave it empty for all networks.",
  },
  uses: { ...USES, label: "Total uses", initial: 100 },
  perCustomer: { ...USES, label: "Uses per customer", initial: 1 },
  starts: { kind: "day", label: "First day (UTC)", optional: true },
  ends: { kind: "lastDay", label: "Last day (UTC)", optional: true },
} as const satisfies Fields;

declare module "../resource/resource.ts" {
  interface ResourceTypes {
    percent_code: true;
  }
}

const PERCENT_CODES: Resource<PercentCodeRow> = {
  type: "percent_code",
  page: { name: "percent-codes", label: "Percent codes", follows: "/admin/codes" },
  noun: "a percent code",
  intro:
    "A code takes a percentage off one order. Customers enter it in the order form. It can't be combined with a tier: the lower price counts.",
  icon: BadgePercent,
  called: (name) => `the percent code “${name}”`,
  nameField: "name",
  once: true,
  fields: PERCENT_CODE_FIELDS,
  facts: { ending: ENDS_IN },
  form: { new: "Create a code", add: "Create code" },
  empty: { title: "No percent codes yet", text: "Create one for a campaign, with its limits." },
  columns: ({ formats: { number } }) => [
    { name: "name", header: PERCENT_CODE_FIELDS.name.label, className: "max-w-48 truncate", cell: ({ name }) => name },
    { name: "ending", header: ENDS_IN, className: "font-mono", cell: ({ ending }) => `…${ending}` },
    { name: "status", header: "Status", cell: (code, { now }) => <State code={code} now={now} /> },
    {
      ...{ name: "percent", header: PERCENT_CODE_FIELDS.percent.label, numeric: true },
      cell: ({ basisPoints }) => percentText(basisPoints),
      under: ({ maxDiscount }) =>
        maxDiscount !== null && (
          <>
            up to <Money micro={maxDiscount} />
          </>
        ),
    },
    {
      ...{ name: "for", header: "For", className: "whitespace-nowrap" },
      cell: ({ network }) => network ?? "All networks",
      under: ({ minCharge }) =>
        minCharge > 0 && (
          <>
            from <Money micro={minCharge} />
          </>
        ),
    },
    {
      ...{ name: "uses", header: "Uses left", numeric: true },
      cell: ({ usesLeft }) => number(usesLeft),
      under: ({ perCustomer }) => `${number(perCustomer)} each`,
    },
    {
      ...{ name: "days", header: "Valid (UTC)", className: "tabular whitespace-nowrap" },
      cell: ({ startsAt }) => utcDay(startsAt),
      under: ({ endsAt }) => (endsAt === null ? "no end" : `to ${utcDay(endsAt - 1)}`),
    },
    {
      ...{ name: "created", header: "Created", sort: "created", className: "text-muted" },
      cell: ({ createdAt }) => <TimeCell at={createdAt} />,
    },
  ],
  actions: {
    disable: {
      label: "Disable",
      named: ({ ending }) => `Disable the code ending in ${ending}`,
      when: ({ disabledAt }) => disabledAt === null,
    },
  },
  sentences: { create: (e) => ["created ", e.subject, ` of ${e.text("percent")}`, e.skip("name")] },
  neverUndone: "A code that customers know can't be changed. Disable it instead.",
  Created: NewPercentCode,
};
export default PERCENT_CODES;

function State({ code: { disabledAt, startsAt, endsAt, usesLeft }, now }: { code: PercentCodeRow; now: number }) {
  if (disabledAt !== null) return <Badge tone="bad">Disabled</Badge>;
  if (endsAt !== null && endsAt <= now) return <Badge>Expired</Badge>;
  if (usesLeft === 0) return <Badge>Used up</Badge>;
  return startsAt > now ? <Badge>Not yet</Badge> : <Badge tone="good">Valid</Badge>;
}

function NewPercentCode({ created: { name, code = "" } }: { created: Record<string, string> }) {
  return (
    <section aria-labelledby="new-code" className="animate-rise rounded-md border border-line bg-good-wash p-4 sm:p-5">
      <h2 id="new-code" role="status" className="text-sm">
        The code “{name}”. Copy it now. You won't see it again.
      </h2>
      <p className="mt-3 flex flex-wrap items-center gap-3">
        <code className="font-mono text-lg">{code}</code>
        <CopyButton text={code} label="Copy code" />
      </p>
    </section>
  );
}

/** Blanks, hyphens and case don't count in a code. */
function codeError(text: string): string | null {
  const letters = text.replaceAll(/[\s-]/g, "");
  if (!/^[0-9A-Za-z]+$/.test(letters)) return "Use letters, digits, hyphens and spaces only";
  return letters.length < MIN_CODE_CHARACTERS ? `Use at least ${MIN_CODE_CHARACTERS} letters and digits` : null;
}
