import { Form, Link } from "@remix-run/react";
import { useState } from "react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { useIsSubmitting } from "#app/components/forms/use-is-submitting.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { type PickColumn, PickList } from "./pick-list.tsx";
import { ruleName } from "./price-rules-card.tsx";
import type { WaitingRow } from "./quarantine-decisions.server.ts";
import { REASON_NOTES, REASON_TITLES } from "./quarantine-reasons.ts";
import { Margin, RateChange } from "./rate-change.tsx";

const COLUMNS: PickColumn<WaitingRow>[] = [
  {
    label: "Service",
    isWide: true,
    cell: (row) => (
      <>
        <Link
          to={`/admin/services/${row.serviceId}`}
          title={row.name}
          className="block max-w-80 truncate underline underline-offset-4"
        >
          {row.name}
        </Link>
        <span className="block text-xs text-muted">
          {row.serviceId} · found <RelativeDate at={row.foundAt} />
          {row.terms && ` · ${row.terms}`}
        </span>
        <span className="mt-1 block">
          <Badge tone={row.isPaused ? "bad" : row.isOnSale ? "good" : "neutral"}>
            {row.isPaused ? "Paused" : row.isOnSale ? "On sale" : "Off sale"}
          </Badge>
        </span>
      </>
    ),
  },
  {
    label: "Cost",
    isNumeric: true,
    cell: ({ cost: [before, after] }) => (after === null ? "—" : <RateChange before={before} after={after} />),
  },
  {
    label: "By the rule",
    isNumeric: true,
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
    label: "Our rate",
    isNumeric: true,
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

/** Changes that wait, by provider and reason, and the three things that can be decided about the ticked ones. */
export function QuarantineList({ rows, error }: { rows: WaitingRow[]; error: string | undefined }) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  // Ticked changes that are missing from the list were decided by somebody.
  const listed = new Set(rows.map(({ key }) => key));
  const current = new Set([...ticked].filter((key) => listed.has(key)));
  const isTaking = useIsSubmitting("take");
  const isKeeping = useIsSubmitting("keep");
  const isStopping = useIsSubmitting("off");
  const groups = [...Map.groupBy(rows, ({ providerId, reason }) => `${providerId} ${reason}`)].map(([key, own]) => {
    const { provider, reason } = own[0] as WaitingRow;
    const label = `${provider} · ${REASON_TITLES[reason]}`;
    return { key, title: label, label, note: REASON_NOTES[reason], rows: own };
  });
  return (
    <Form method="post" preventScrollReset data-asks-identity>
      <div className="sticky top-0 z-10 flex min-h-14 rounded-t-md flex-wrap items-center gap-2 border-b border-line bg-raised px-4 py-2 sm:px-5">
        <Button type="submit" name="intent" value="take" busy={isTaking}>
          Take the new price
        </Button>
        <Button type="submit" name="intent" value="keep" variant="secondary" busy={isKeeping}>
          Keep our rate
        </Button>
        <Button type="submit" name="intent" value="off" variant="secondary" busy={isStopping}>
          Keep off sale
        </Button>
        <span role="status" className="tabular text-sm text-muted">
          {current.size > 0 && `${current.size} ticked`}
        </span>
        {error && (
          <div className="w-full">
            <Notice tone="bad">{error}</Notice>
          </div>
        )}
      </div>
      <PickList
        groups={groups}
        keyOf={({ key }) => key}
        nameOf={({ name, serviceId }) => `Decide ${serviceId}: ${name}`}
        columns={COLUMNS}
        ticked={current}
        onTick={setTicked}
      />
    </Form>
  );
}
