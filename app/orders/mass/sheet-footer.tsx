import { Link } from "@remix-run/react";
import { useRef } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { Button } from "#app/components/ui/button.tsx";
import { massQuery } from "./planned-mass.ts";
import { csvOf, isBlank, type SheetRow } from "./sheet-rows.ts";

/** The end of the sheet, which stays in the window: what its lines cost, and the form that places them. */
export function SheetFooter({
  draft,
  uploadId,
  balance,
  rows,
  totals: { valid, invalid, doubtful, charge },
  isChecking,
  result,
  onLeave,
  onRemoveDoubtful,
}: {
  draft: string;
  uploadId: string | null;
  /** Micro-units. */
  balance: number;
  rows: SheetRow[];
  /** `doubtful` counts the valid lines that may be wrong. `charge` is micro-units. */
  totals: { valid: number; invalid: number; doubtful: number; charge: number };
  isChecking: boolean;
  result: FormResult | undefined;
  /** Keeps the lines in the tab. */
  onLeave: () => void;
  onRemoveDoubtful: () => void;
}) {
  const { number, money } = useFormats();
  const sent = useRef<HTMLTextAreaElement>(null);
  const lines = rows.filter((row) => !isBlank(row)).length;
  return (
    <ActionForm
      intent="place"
      action={`/dashboard/orders/mass?draft=${draft}${uploadId ? `&upload=${uploadId}` : ""}`}
      result={result}
      // Placed only at this charge.
      hidden={{ charge, which: "valid", ...(uploadId !== null && { upload: uploadId }) }}
      preventScrollReset={false}
      onSubmit={() => {
        // Written only here: it would be thousands of lines with each key. An input would drop the line breaks.
        if (sent.current) sent.current.value = csvOf(rows);
        onLeave();
      }}
      data-sticky-foot
      className="sticky bottom-0 z-10 flex flex-wrap items-center justify-end gap-x-4 gap-y-2 rounded-b-md border-t border-line bg-raised px-4 py-3 sm:pr-20 xl:pr-4"
    >
      <textarea ref={sent} name="lines" hidden readOnly defaultValue="" />
      <p className="mr-auto text-sm text-muted">
        {balance < charge ? (
          <span className="text-warn">
            You need <Money micro={charge - balance} /> more.{" "}
            <Link
              to={`/dashboard/top-up?${massQuery({ draft, uploadId, lines, charge })}`}
              onClick={onLeave}
              // While a line is checked, its charge is missing from what is missing.
              className={`inline-flex min-h-11 items-center underline underline-offset-4 sm:min-h-0 ${isChecking ? "invisible" : ""}`}
            >
              Add funds
            </Link>
          </span>
        ) : (
          <>
            Balance after <Money micro={balance - charge} />
          </>
        )}
      </p>
      {doubtful > 0 && (
        <div className="flex flex-wrap items-center gap-x-1 max-sm:mr-auto">
          <label className="flex min-h-11 items-center gap-2.5 text-sm sm:min-h-9">
            <input
              key={doubtful}
              type="checkbox"
              name="doubts"
              value={doubtful}
              required
              className="size-4 shrink-0 accent-accent"
            />
            {doubtful === 1
              ? "Order the line that may be wrong"
              : `Order the ${number(doubtful)} lines that may be wrong`}
          </label>
          <Button variant="quiet" onClick={onRemoveDoubtful} className="max-sm:-mr-4">
            {doubtful === 1 ? "Skip it" : "Skip them"}
          </Button>
        </div>
      )}
      <SubmitButton
        size="large"
        disabled={valid === 0 || isChecking || balance < charge}
        className="max-sm:mr-auto max-sm:w-[calc(100%-4rem)]"
      >
        Place {number(valid)}
        {invalid > 0 && `, skip ${number(invalid)}`} · {money(charge)}
      </SubmitButton>
    </ActionForm>
  );
}
