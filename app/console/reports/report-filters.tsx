import { Form, Link } from "@remix-run/react";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { ViewTabs } from "#app/console/view-tabs.tsx";
import { withParams } from "#app/http/requests/query-params.ts";
import { AGAINST, AGAINST_NAMES } from "#app/orders/reports/report-comparison.ts";
import { REPORT_SUBJECTS, type ReportQuery, type ReportSubject } from "#app/orders/reports/report-query.ts";
import { dateOf, lastDays } from "#app/orders/sales/sales-period.ts";

const PAGE = "/admin/reports";
const SPANS = [7, 30, 90];
const NAMES: Record<ReportSubject, string> = {
  day: "By day",
  service: "By service",
  provider: "By provider",
  customer: "By customer",
};

/** What the report has a row for, as tabs that keep the period. */
export function ReportSubjects({ by, period, against }: ReportQuery) {
  const days = { from: dateOf(period.from), to: dateOf(period.to), against };
  return (
    <ViewTabs
      label="One row per"
      views={REPORT_SUBJECTS.map((one) => ({
        to: withParams(PAGE, { by: one, ...days }),
        label: NAMES[one],
        current: one === by,
      }))}
    />
  );
}

/** The period, and what it is compared with, as a form that changes the URL. */
export function ReportPeriod({ by, period, against, now }: ReportQuery & { now: number }) {
  return (
    <div className="mt-4 flex flex-wrap items-end gap-x-6 gap-y-3">
      <Form method="get" className="grid w-full grid-cols-2 items-end gap-x-2 gap-y-3 sm:flex sm:w-auto sm:flex-wrap">
        <input type="hidden" name="by" value={by} />
        {(["from", "to"] as const).map((name) => (
          <Field key={name} id={`report-${name}`} label={name === "from" ? "From" : "To"} className="sm:w-40">
            {(control) => (
              <Input {...control} key={period[name]} type="date" name={name} defaultValue={dateOf(period[name])} />
            )}
          </Field>
        ))}
        <Field id="report-against" label="Compared with" className="col-span-2 sm:w-60">
          {(control) => (
            <Select {...control} key={against} name="against" defaultValue={against}>
              {AGAINST.map((one) => (
                <option key={one} value={one}>
                  {AGAINST_NAMES[one]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Button type="submit" variant="secondary" className="col-span-2 sm:h-10">
          Show report
        </Button>
      </Form>
      <nav aria-label="Period">
        <ul className="flex gap-1">
          {SPANS.map((days) => {
            const { from, to } = lastDays(days, now);
            return (
              <li key={days}>
                <Link
                  to={withParams(PAGE, { by, from: dateOf(from), to: dateOf(to), against })}
                  aria-current={period.from === from && period.to === to ? "page" : undefined}
                  className="inline-flex h-11 items-center rounded-md px-3 text-sm text-muted transition-colors hover:text-text aria-[current=page]:bg-sunken aria-[current=page]:text-text sm:h-10"
                >
                  {days} days
                </Link>
              </li>
            );
          })}
        </ul>
      </nav>
    </div>
  );
}
