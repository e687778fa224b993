import { useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText } from "#app/components/table/row-cells.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { statedRefillDays } from "#app/orders/delivery/refill-terms.ts";
import type { ImportPreview } from "#app/orders/providers/catalog-import.server.ts";
import { WAITING_REASONS } from "#app/orders/services/service-guard.ts";
import { PickList } from "./pick-list.tsx";
import { ruleName } from "./price-rules-card.tsx";
import { MarginChange, RateChange } from "./rate-change.tsx";
import { UnreadableEntries } from "./unreadable-entries.tsx";

type Row = ImportPreview["rows"][number];

const GROUPS: { key: Row["group"]; title: string; note: string }[] = [
  {
    key: "look",
    title: "Look at these",
    note: "The nightly comparison leaves these to you. Ticked ones are imported as shown.",
  },
  {
    key: "changed",
    title: "Changed",
    note: "Within this provider's limit, so the nightly comparison applies them, too.",
  },
  {
    key: "added",
    title: "New",
    note: "Imported off sale, so that you can check them first. The nightly comparison adds no services.",
  },
  {
    key: "wider",
    title: "Wider limits there",
    note: "The provider takes smaller or larger orders than you sell. Ticked ones get its limits.",
  },
  { key: "gone", title: "Gone", note: "On sale here, but not in the catalog. Ticked ones are taken off sale." },
];

const COLUMNS: Column<Row>[] = [
  {
    name: "service",
    header: "Service",
    className: "py-2",
    cell: (row) => {
      const days = row.group === "added" ? statedRefillDays(row.name) : null;
      return (
        <>
          <CutText className="max-w-96">{row.name}</CutText>
          <span className="mt-0.5 flex max-w-120 flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
            {row.reason && row.reason !== "gone" && (
              <Badge tone="warn">{row.reason === "free" ? "Costs nothing" : WAITING_REASONS[row.reason].title}</Badge>
            )}
            <span className="font-mono">{row.providerServiceId}</span>
            {row.terms && <span>{row.terms}</span>}
            {days && <span>Its name says {days} refill days</span>}
          </span>
        </>
      );
    },
  },
  {
    name: "cost",
    header: "Cost",
    numeric: true,
    className: "w-44",
    cell: ({ cost: [before, after] }) => <RateChange before={before} after={after} />,
  },
  {
    name: "rate",
    header: "Our rate",
    numeric: true,
    className: "w-44",
    cell: ({ rate: [before, after] }) => <RateChange before={before} after={after} />,
  },
  {
    name: "margin",
    header: "Margin",
    numeric: true,
    className: "w-44",
    cell: ({ rate, cost }) => (
      <MarginChange before={{ price: rate[0], cost: cost[0] }} after={{ price: rate[1], cost: cost[1] }} />
    ),
  },
  {
    name: "rule",
    header: "Rule",
    className: "w-44",
    cell: ({ rule, group }) => (
      <span className="text-muted">{rule !== null ? ruleName(rule) : group === "gone" ? "—" : "Your own rate"}</span>
    ),
  },
];

/** The changes that an import would make, a box each, with the button that makes exactly the ticked ones. */
export function ImportPreviewCard({ preview }: { preview: ImportPreview }) {
  const { number } = useFormats();
  const { rows, unreadable, unreadableCount, digest, offered, isPartial, isComplete, total } = preview;
  const [ticked, setTicked] = useState<ReadonlySet<string>>(
    () => new Set(rows.filter(({ isTicked }) => isTicked).map(({ providerServiceId }) => providerServiceId)),
  );
  const title = `${number(offered)} services, ${number(rows.length)} changes`;
  return (
    <Card title={title} titleId="preview" flush={rows.length > 0}>
      {!isComplete && (
        <div className="border-b border-line p-4 sm:px-5">
          <Notice tone="bad">
            {offered === 0
              ? "None of this catalog's entries can be read, so nothing is compared with it."
              : `This catalog is incomplete: ${number(offered + unreadableCount)} ${total === null ? "services" : `of ${number(total)} services`} came. What is missing stays on sale. Preview again later for the rest.`}
          </Notice>
        </div>
      )}
      {isPartial && (
        <div className="border-b border-line p-4 sm:px-5">
          <Notice tone="bad">
            This catalog lacks many services that you sell. It may be a partial answer: ask the provider, or preview
            again later, before you take them off sale.
          </Notice>
        </div>
      )}
      {unreadableCount > 0 && <UnreadableEntries entries={unreadable} count={unreadableCount} />}
      {rows.length === 0 ? (
        <p className="text-sm text-muted">
          {offered === 0 ? "There is nothing to import." : "Your catalog is up to date. There is nothing to import."}
        </p>
      ) : (
        <ActionForm asksIdentity intent="import" result={null} hidden={{ digest }} className="">
          <PickList
            groups={GROUPS.map((group) => ({ ...group, rows: rows.filter((row) => row.group === group.key) }))}
            keyOf={({ providerServiceId }) => providerServiceId}
            nameOf={({ name, providerServiceId }) => `Import ${providerServiceId}: ${name}`}
            columns={COLUMNS}
            ticked={ticked}
            onTick={setTicked}
          />
          <div data-sticky-foot className="sticky bottom-0 z-10 border-t border-line bg-raised px-4 py-2 sm:px-5">
            <SubmitButton>
              Import {number(ticked.size)} {ticked.size === 1 ? "service" : "services"}
            </SubmitButton>
          </div>
        </ActionForm>
      )}
    </Card>
  );
}
