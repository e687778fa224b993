import Ticket from "lucide-react/icons/ticket";
import { useEffect, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { TimeCell } from "#app/components/table/row-cells.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import type { redeemBatches } from "#app/db/schema.server.ts";
import type { Fields } from "../resource/fields.ts";
import type { Resource } from "../resource/resource.ts";

/** A batch of codes, with how often they were redeemed. */
export type CodeBatch = typeof redeemBatches.$inferSelect & { used: number };

export const MAX_CODES_PER_BATCH = 1000;

export const CODE_BATCH_FIELDS = {
  name: { kind: "line", label: "Name", max: 100, help: "Only staff see it." },
  amount: { kind: "money", label: "Amount", above: 0 },
  count: {
    ...{ kind: "count", label: "Number of codes", min: 1, max: MAX_CODES_PER_BATCH, initial: 1 },
    help: `Up to ${MAX_CODES_PER_BATCH.toLocaleString("en-US")}.`,
  },
  maxUses: {
    ...{ kind: "count", label: "Uses per code", min: 1, max: 100_000, initial: 1 },
    help: "Each account can redeem a code once.",
  },
  expires: { kind: "lastDay", label: "Last day (UTC)", optional: true, logged: "expiresAt" },
} as const satisfies Fields;

declare module "../resource/resource.ts" {
  interface ResourceTypes {
    codes: true;
  }
}

const CODE_BATCHES: Resource<CodeBatch> = {
  type: "codes",
  page: { name: "codes", label: "Codes", follows: "/admin/payments" },
  noun: "codes",
  intro:
    "A code adds its amount to the balance of whoever redeems it. Codes are shown once, right after you create them.",
  icon: Ticket,
  called: (name) => `the batch “${name}”`,
  nameField: "name",
  once: true,
  hasOwnPages: true,
  exportedAs: "batches",
  fields: CODE_BATCH_FIELDS,
  form: { new: "Create codes", add: "Create codes" },
  empty: { title: "No codes yet", text: "Create codes for a campaign, a reseller or a single customer." },
  columns: ({ formats: { number } }) => [
    { name: "name", header: CODE_BATCH_FIELDS.name.label, cell: ({ name }) => name },
    { name: "status", header: "Status", inCard: "text", cell: (batch, { now }) => <State batch={batch} now={now} /> },
    {
      ...{ name: "amount", header: CODE_BATCH_FIELDS.amount.label, inCard: "figure", numeric: true },
      cell: ({ amount }) => <Money micro={amount} />,
    },
    { name: "codes", header: "Codes", inCard: "figure", numeric: true, cell: ({ count }) => number(count) },
    {
      ...{ name: "redeemed", header: "Redeemed", inCard: "figure", numeric: true },
      cell: ({ used, count, maxUses }) => (
        <>
          {number(used)}
          <span className="text-muted"> / {number(count * maxUses)}</span>
        </>
      ),
    },
    {
      ...{ name: "created", header: "Created", inCard: "figure", sort: "created", className: "text-muted" },
      cell: ({ createdAt }) => <TimeCell at={createdAt} />,
    },
  ],
  // They are disabled on the page of their batch.
  actions: {},
  sentences: {
    create: (e) => [`created ${e.count("count", "code")} of ${e.text("amount")} in `, e.subject, e.skip("name")],
    disable: (e) => [
      e.detail.code === undefined ? "disabled all codes of " : `disabled code ${e.text("code")} of `,
      e.subject,
    ],
  },
  neverUndone:
    "Codes that were handed out can't be taken back, and disabled ones may be in wrong hands. Create new ones.",
  Created: NewCodes,
};
export default CODE_BATCHES;

function State({ batch: { disabledAt, expiresAt }, now }: { batch: CodeBatch; now: number }) {
  if (disabledAt !== null) return <Badge tone="bad">Disabled</Badge>;
  return expiresAt !== null && expiresAt <= now ? <Badge>Expired</Badge> : <Badge tone="good">Valid</Badge>;
}

/** Newly created codes in plain text, one a line. They are never shown again. */
function NewCodes({ created: { batch, name, amount, codes = "" } }: { created: Record<string, string> }) {
  const { number } = useFormats();
  const count = codes.split("\n").length;
  const [href, setHref] = useState<string>();
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([`${codes}\n`], { type: "text/plain" }));
    setHref(url);
    return () => URL.revokeObjectURL(url);
  }, [codes]);
  return (
    <section aria-labelledby="new-codes" className="animate-rise rounded-md border border-line bg-good-wash p-4 sm:p-5">
      <h2 id="new-codes" role="status" className="text-sm">
        {count === 1 ? "One code" : `${number(count)} codes`} of <Money micro={Number(amount)} /> for “{name}”. Copy
        them now. You won't see them again.
      </h2>
      <Textarea readOnly aria-label="New codes" value={codes} rows={Math.min(10, count)} className="mt-3 font-mono" />
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <CopyButton text={codes} label="Copy all" />
        {href && (
          <a
            href={href}
            download={`codes-${batch}.txt`}
            className="inline-flex h-11 items-center text-sm underline underline-offset-4 sm:h-9"
          >
            Download
          </a>
        )}
      </div>
    </section>
  );
}
