import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { dateOf, lastDays } from "#app/orders/sales/sales-period.ts";

/** Downloads what was sold in a period and what it cost. A plain form, so that the browser saves the file. */
export function ExportSalesForm({ now }: { now: number }) {
  const { from, to } = lastDays(30, now);
  return (
    <Card title="Export costs and margins" titleId="export-sales">
      <form action="/admin/sales.csv" className="grid items-end gap-4 sm:grid-cols-2 lg:grid-cols-4">
        <Field id="sales-by" label="One row per">
          {(control) => (
            <Select {...control} name="by">
              <option value="day">Day</option>
              <option value="service">Service</option>
              <option value="provider">Provider</option>
              <option value="customer">Customer</option>
            </Select>
          )}
        </Field>
        <Field id="sales-from" label="From">
          {(control) => <Input {...control} name="from" type="date" defaultValue={dateOf(from)} />}
        </Field>
        <Field id="sales-to" label="To">
          {(control) => <Input {...control} name="to" type="date" defaultValue={dateOf(to)} />}
        </Field>
        <div>
          <Button type="submit" variant="secondary">
            Export CSV
          </Button>
        </div>
      </form>
      <p className="mt-4 text-sm text-muted">
        Days are UTC, both included. At most 92 days by service, provider or customer, and 400 by day.
      </p>
    </Card>
  );
}
