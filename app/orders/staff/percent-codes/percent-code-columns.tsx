import { Money } from "#app/components/formats/money-amount.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { Column } from "#app/components/table/data-table.tsx";
import { TimeCell } from "#app/components/table/row-cells.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { percentText } from "#app/orders/rules/margin.ts";
import type { PercentCodeRow } from "./percent-code-admin.server.ts";
import { DISABLE_PERCENT_CODE } from "./percent-code-intents.ts";

/** `now` is in ms since 1970; it decides which codes work. */
export function percentCodeColumns(number: (count: number) => string, now: number): Column<PercentCodeRow>[] {
  return [
    { name: "name", header: "Name", cell: ({ name }) => name },
    { name: "ending", header: "Ends in", className: "font-mono", cell: ({ ending }) => `…${ending}` },
    { name: "status", header: "Status", cell: (code) => <State code={code} now={now} /> },
    {
      name: "percent",
      header: "Off",
      numeric: true,
      cell: ({ basisPoints, maxDiscount }) => (
        <>
          {percentText(basisPoints)}
          {maxDiscount !== null && (
            <span className="block text-xs text-muted">
              up to <Money micro={maxDiscount} />
            </span>
          )}
        </>
      ),
    },
    {
      name: "for",
      header: "For",
      cell: ({ network, minCharge }) => (
        <>
          {network ?? "All networks"}
          {minCharge > 0 && (
            <span className="block text-xs text-muted">
              from <Money micro={minCharge} />
            </span>
          )}
        </>
      ),
    },
    {
      name: "uses",
      header: "Uses left",
      numeric: true,
      cell: ({ usesLeft, perCustomer }) => (
        <>
          {number(usesLeft)}
          <span className="block text-xs text-muted">{number(perCustomer)} each</span>
        </>
      ),
    },
    {
      name: "days",
      header: "Days (UTC)",
      className: "text-muted",
      cell: ({ startsAt, endsAt }) => `${dayOf(startsAt)} to ${endsAt === null ? "no end" : dayOf(endsAt - 1)}`,
    },
    {
      name: "created",
      header: "Created",
      sort: "created",
      className: "text-muted",
      cell: ({ createdAt }) => <TimeCell at={createdAt} />,
    },
    {
      name: "disable",
      header: "Disable",
      isAction: true,
      cell: ({ id, ending, disabledAt }) =>
        disabledAt === null && (
          <ActionForm
            asksIdentity
            id={`disable-${id}`}
            intent={DISABLE_PERCENT_CODE}
            result={null}
            hidden={{ code: id }}
          >
            <SubmitButton variant="quiet" aria-label={`Disable the code ending in ${ending}`}>
              Disable
            </SubmitButton>
          </ActionForm>
        ),
    },
  ];
}

function State({ code: { disabledAt, startsAt, endsAt, usesLeft }, now }: { code: PercentCodeRow; now: number }) {
  if (disabledAt !== null) return <Badge tone="bad">Disabled</Badge>;
  if (endsAt !== null && endsAt <= now) return <Badge>Expired</Badge>;
  if (usesLeft === 0) return <Badge>Used up</Badge>;
  return startsAt > now ? <Badge>Not yet</Badge> : <Badge tone="good">Valid</Badge>;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
