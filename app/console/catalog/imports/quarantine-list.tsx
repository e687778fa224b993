import { Form, Link, useSearchParams } from "@remix-run/react";
import ShieldCheck from "lucide-react/icons/shield-check";
import { useId, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Field } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { useIsSubmitting } from "#app/components/forms/use-is-submitting.ts";
import { type Column, DataTable } from "#app/components/table/data-table.tsx";
import { ListFilters } from "#app/components/table/list-filters.tsx";
import { CutText, RowLink, TimeCell } from "#app/components/table/row-cells.tsx";
import { useRowSelection } from "#app/components/table/row-selection.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { LossField } from "#app/console/loss-field.tsx";
import type { QuarantineReason } from "#app/db/schema.server.ts";
import { WAITING_REASONS } from "#app/orders/services/service-guard.ts";
import { DecisionResult } from "./left-changes.tsx";
import { countNewTerms, type NewTermCounts, newTermsText } from "./new-terms.ts";
import { ALL_PARAM, PICK, PICKED } from "./pick-list.tsx";
import { ruleName } from "./price-rules-card.tsx";
import type { WaitingRow } from "./quarantine-decisions.server.ts";
import type { QuarantineResult } from "./quarantine-form.server.ts";
import type { QuarantineQuery, WaitingGroup } from "./quarantine-page.server.ts";
import { Margin, RateChange } from "./rate-change.tsx";

const COLUMNS: Column<WaitingRow>[] = [
  {
    name: "service",
    header: "Service",
    className: "min-w-56 py-2",
    cell: (row) => (
      <>
        <span className="block md:[--row-height:24px]">
          <RowLink to={`/admin/services/${row.serviceId}`} title={row.name}>
            {row.name}
          </RowLink>
        </span>
        <span className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
          <Badge tone={row.isPaused ? "bad" : row.isOnSale ? "good" : "neutral"}>
            {row.isPaused ? "Paused" : row.isOnSale ? "On sale" : "Off sale"}
          </Badge>
          <span>
            {row.serviceId} · found <TimeCell at={row.foundAt} />
          </span>
          {row.terms && <span className="text-text">{row.terms}</span>}
        </span>
      </>
    ),
  },
  {
    name: "reason",
    header: "Provider and reason",
    className: "py-2",
    cell: ({ provider, reason }) => (
      <>
        <CutText className="max-w-48">{provider}</CutText>
        <span title={WAITING_REASONS[reason].note} className="block text-xs text-muted">
          {WAITING_REASONS[reason].title}
        </span>
      </>
    ),
  },
  {
    name: "cost",
    header: "Cost",
    numeric: true,
    cell: ({ cost: [before, after] }) => (after === null ? "—" : <RateChange before={before} after={after} />),
  },
  {
    name: "rule",
    header: "By the rule",
    numeric: true,
    cell: ({ rateByRule, cost, rule }) =>
      rateByRule === null ? (
        "—"
      ) : (
        <span title={rule === null ? undefined : ruleName(rule)}>
          <RateChange before={null} after={rateByRule} />
          <span className="block text-xs">
            <Margin price={rateByRule} cost={cost[1]} />
          </span>
        </span>
      ),
  },
  {
    name: "rate",
    header: "Our rate",
    numeric: true,
    cell: ({ rate, cost }) => (
      <>
        <RateChange before={null} after={rate} />
        <span className="block text-xs">
          <Margin price={rate} cost={cost[1] ?? cost[0]} />
        </span>
      </>
    ),
  },
];

/** Changes that wait, and the three things that can be decided about the selected ones, or about all that match. */
export function QuarantineList({
  rows,
  next,
  query,
  matching,
  allKeys,
  newTerms,
  groups,
  result,
}: {
  rows: WaitingRow[];
  next: string | null;
  query: QuarantineQuery;
  matching: number;
  /** The keys of all that match, once somebody asked for them. */
  allKeys: string[] | null;
  /** Changes of them besides prices. */
  newTerms: NewTermCounts | null;
  groups: WaitingGroup[];
  result: QuarantineResult | null;
}) {
  const { number } = useFormats();
  const selection = useRowSelection();
  const form = useId();
  const [picksRows, setPicksRows] = useState(false);
  // All that match are selected until somebody picks rows of this page.
  const chosenKeys = picksRows ? null : allKeys;
  // Selected changes that are missing from the page were decided by somebody, or are others by now.
  const picked = rows.filter(({ key }) => selection.selected.has(key));
  const isFiltered = query.providerId !== null || query.reason !== null || query.search !== "";
  const names = new Map(rows.map(({ key, serviceId }) => [key, `Select row ${serviceId}`]));
  return (
    <>
      {result?.message && <DecisionResult message={result.message} ok={result.ok} left={result.left} />}
      <DataTable
        label="Waiting changes"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ key }) => key}
        state={{ sort: { key: "", descending: false }, sorts: [], next }}
        selection={{
          selected: chosenKeys === null ? selection.selected : new Set(rows.map(({ key }) => key)),
          change: (selected) => {
            setPicksRows(true);
            selection.change(selected);
          },
          nameOf: (key) => names.get(key) ?? key,
          form,
          ...(chosenKeys === null && { field: PICK }),
        }}
        filters={<QuarantineFilters query={query} groups={groups} isFiltered={isFiltered} />}
        exportTo="/admin/exports/quarantine"
        empty={
          isFiltered ? (
            <EmptyState icon={ShieldCheck} title="No waiting change matches">
              Change the filter, or clear it.
            </EmptyState>
          ) : (
            <EmptyState icon={ShieldCheck} title="Nothing waits for you">
              Small changes are applied at night. What moves too far, is gone or would sell below cost appears here.
            </EmptyState>
          )
        }
        footer={query.reason === null ? undefined : WAITING_REASONS[query.reason].note}
      />
      {matching > 0 && (
        <DecisionBar
          id={form}
          picked={picked}
          allKeys={chosenKeys}
          onSelectAll={() => setPicksRows(false)}
          asksForLoss={result?.asksForLoss === true || picked.some((row) => row.asksForLoss)}
          newTerms={chosenKeys === null ? countNewTerms(picked) : newTerms}
          all={`${number(matching)}${isFiltered ? " that match" : ""}`}
        />
      )}
    </>
  );
}

/**
 * The three decisions about what is selected. Before the page has scripts nobody knows what that is, so the buttons are always
 * there; with scripts, they wait for a selection.
 */
function DecisionBar({
  id,
  picked,
  allKeys,
  onSelectAll,
  asksForLoss,
  newTerms,
  all,
}: {
  id: string;
  picked: WaitingRow[];
  allKeys: string[] | null;
  onSelectAll: () => void;
  /** Keeping our rate would sell one of the selected below cost. */
  asksForLoss: boolean;
  newTerms: NewTermCounts | null;
  /** How many match, in words. */
  all: string;
}) {
  const { number } = useFormats();
  const isTaking = useIsSubmitting("take");
  const isKeeping = useIsSubmitting("keep");
  const isStopping = useIsSubmitting("off");
  const isSelected = picked.length > 0 || allKeys !== null;
  const note = newTerms && newTermsText(newTerms);
  return (
    <Form
      id={id}
      method="post"
      preventScrollReset
      data-asks-identity
      data-selection-bar
      className="sticky bottom-0 z-10 flex min-h-14 flex-wrap items-center gap-x-3 gap-y-2 rounded-b-md border-t border-line bg-raised px-4 py-2 text-sm sm:px-5"
    >
      {picked.length > 0 ? (
        <input type="hidden" name={PICKED} value={JSON.stringify(picked.map(({ key }) => key))} />
      ) : (
        <AllThatMatch keys={allKeys} text={all} onSelect={onSelectAll} />
      )}
      <span role="status" className="tabular empty:hidden">
        {picked.length > 0 && `${number(picked.length)} selected`}
      </span>
      <div className={`flex flex-wrap gap-2 ${isSelected ? "" : "not-noscript:hidden"}`}>
        <Button type="submit" name="intent" value="take" variant={isSelected ? "primary" : "secondary"} busy={isTaking}>
          Take the new price
        </Button>
        <Button type="submit" name="intent" value="keep" variant="secondary" busy={isKeeping}>
          Keep our rate
        </Button>
        <Button type="submit" name="intent" value="off" variant="secondary" busy={isStopping}>
          Keep off sale
        </Button>
      </div>
      {asksForLoss && (
        <div className={isSelected ? "" : "not-noscript:hidden"}>
          <LossField />
        </div>
      )}
      {!isSelected && <span className="text-muted max-sm:hidden">Select changes to decide on them together.</span>}
      {note && <p className="w-full pb-1">{note}</p>}
    </Form>
  );
}

/** Selects all that match, on all pages. What they are is read when somebody asks for it. */
function AllThatMatch({ keys, text, onSelect }: { keys: string[] | null; text: string; onSelect: () => void }) {
  const [params] = useSearchParams();
  const to = new URLSearchParams(params);
  if (keys === null) to.set(ALL_PARAM, "1");
  else to.delete(ALL_PARAM);
  return (
    <>
      {keys !== null && (
        <>
          <input type="hidden" name={PICKED} value={JSON.stringify(keys)} />
          <b className="text-sm font-medium">All {text} selected</b>
        </>
      )}
      <Link
        to={`?${to}`}
        preventScrollReset
        onClick={keys === null ? onSelect : undefined}
        className="mr-2 inline-flex min-h-11 items-center text-sm underline underline-offset-4 sm:min-h-0"
      >
        {keys === null ? `Select all ${text}` : "Select none"}
      </Link>
    </>
  );
}

function QuarantineFilters({
  query,
  groups,
  isFiltered,
}: {
  query: QuarantineQuery;
  groups: WaitingGroup[];
  isFiltered: boolean;
}) {
  const { number } = useFormats();
  const providers = new Map(groups.map(({ providerId, provider }) => [providerId, provider]));
  const countOf = (is: (group: WaitingGroup) => boolean) =>
    number(groups.reduce((sum, group) => sum + (is(group) ? group.count : 0), 0));
  const isListed = ({ providerId }: WaitingGroup) => query.providerId === null || providerId === query.providerId;
  const reasons = [...new Set(groups.filter(isListed).map(({ reason }) => reason))] satisfies QuarantineReason[];
  return (
    <ListFilters
      id="quarantine"
      search={{ value: query.search, label: "Search", placeholder: "ID or name" }}
      clearTo={isFiltered ? "?" : null}
    >
      <Field id="quarantine-provider" label="Provider" className="sm:w-48">
        {(control) => (
          <Select {...control} key={query.providerId} name="provider" defaultValue={query.providerId ?? ""}>
            <option value="">All</option>
            {[...providers].map(([id, name]) => (
              <option key={id} value={id}>
                {name} ({countOf(({ providerId }) => providerId === id)})
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field id="quarantine-reason" label="Reason" className="sm:w-56">
        {(control) => (
          <Select {...control} key={query.reason} name="reason" defaultValue={query.reason ?? ""}>
            <option value="">All</option>
            {reasons.map((reason) => (
              <option key={reason} value={reason}>
                {WAITING_REASONS[reason].title} ({countOf((group) => isListed(group) && group.reason === reason)})
              </option>
            ))}
          </Select>
        )}
      </Field>
    </ListFilters>
  );
}
