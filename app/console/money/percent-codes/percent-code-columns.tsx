import { Money } from "#app/components/formats/money-amount.tsx";
import { utcDay } from "#app/components/formats/utc-day.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, TimeCell } from "#app/components/table/row-cells.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { percentText } from "#app/orders/rules/margin.ts";
import { PERCENT_CODE_WORDS } from "#app/words/percent-code-words.ts";
import type { PercentCodeRow } from "./percent-code-admin.server.ts";
import { DISABLE_PERCENT_CODE } from "./percent-code-intents.ts";

/** Room for a second, smaller line. */
const TWO_LINES = "py-1.5";

/** `now` is in ms since 1970; it decides which codes work. */
export function percentCodeColumns(number: (count: number) => string, now: number): Column<PercentCodeRow>[] {
  return [
    {
      name: "name",
      header: PERCENT_CODE_WORDS.name,
      cell: ({ name }) => <CutText className="max-w-48">{name}</CutText>,
    },
    { name: "ending", header: PERCENT_CODE_WORDS.ending, className: "font-mono", cell: ({ ending }) => `…${ending}` },
    { name: "status", header: "Status", cell: (code) => <State code={code} now={now} /> },
    {
      name: "percent",
      header: PERCENT_CODE_WORDS.percent,
      numeric: true,
      className: TWO_LINES,
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
      className: TWO_LINES,
      cell: ({ network, minCharge }) => (
        <>
          <span className="whitespace-nowrap">{network ?? "All networks"}</span>
          {minCharge > 0 && (
            <span className="block text-xs text-muted">
              from <Money micro={minCharge} />
            </span>
          )}
        </>
      ),
    },
    {
      name: "usesLeft",
      header: "Uses left",
      numeric: true,
      className: TWO_LINES,
      cell: ({ usesLeft, perCustomer }) => (
        <>
          {number(usesLeft)}
          <span className="block text-xs text-muted">{number(perCustomer)} each</span>
        </>
      ),
    },
    {
      name: "days",
      header: "Valid (UTC)",
      className: `${TWO_LINES} tabular whitespace-nowrap`,
      cell: ({ startsAt, endsAt }) => (
        <>
          {utcDay(startsAt)}
          <span className="block text-xs text-muted">{endsAt === null ? "no end" : `to ${utcDay(endsAt - 1)}`}</span>
        </>
      ),
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
            className="inline-flex max-md:-ml-3.5 md:-mr-3.5"
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
