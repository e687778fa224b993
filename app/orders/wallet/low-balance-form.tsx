import { useFetcher } from "@remix-run/react";
import { useEffect } from "react";
import { Field, Input } from "#app/components/forms/field.tsx";
import { toast } from "#app/components/toast/toast.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { decimal } from "#app/orders/rules/money.ts";

export type LowBalanceResult = { ok: true; text: string } | { ok: false; text: string; typed: string };

/** The low-balance threshold. `below` is in micro-units; null means no notice. */
export function LowBalanceForm({ below, submitted }: { below: number | null; submitted: LowBalanceResult | null }) {
  const sender = useFetcher<LowBalanceResult>();
  const result = sender.data ?? submitted;
  useEffect(() => {
    if (sender.data?.ok) toast.success(sender.data.text);
  }, [sender.data]);
  const typed = result && !result.ok ? result.typed : below === null ? "" : decimal(below, 2);
  return (
    <sender.Form method="post" noValidate>
      <input type="hidden" name="intent" value="low-balance" />
      <Field
        id="low-balance-below"
        label="Notify me when my balance is below"
        error={result && !result.ok ? result.text : undefined}
        help="We show a notice in the dashboard and send balance.low to your webhooks. Leave empty for no notice."
      >
        {(control) => (
          <div className="flex gap-2">
            <Input
              {...control}
              key={typed}
              name="below"
              inputMode="decimal"
              autoComplete="off"
              defaultValue={typed}
              placeholder="10.00"
              className="max-w-44"
            />
            <Button type="submit" variant="secondary" busy={sender.state !== "idle"} className="sm:h-10">
              Save
            </Button>
          </div>
        )}
      </Field>
    </sender.Form>
  );
}
