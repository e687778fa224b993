import { useFetcher } from "@remix-run/react";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { MICRO } from "#app/product.ts";
import type { ApiKeyRow } from "./api-keys.server.ts";
import { KeyLimitFields } from "./key-limit-fields.tsx";

/** Changes what a key is limited to. `submitted` is the result of a form that was submitted without scripts. */
export function KeyLimitsForm({ apiKey, submitted }: { apiKey: ApiKeyRow; submitted: FormResult | null }) {
  const sender = useFetcher<FormResult>();
  const initial = {
    addresses: apiKey.addresses.join("\n"),
    dailyCap: apiKey.dailyCap === null ? "" : String(apiKey.dailyCap / MICRO),
  };
  return (
    <section aria-labelledby="key-limits" className="border-t border-line p-4 sm:px-5">
      <h3 id="key-limits" className="mb-4 text-sm">
        Limits of “{apiKey.name}”
      </h3>
      <ActionForm
        asksIdentity
        intent="limit-key"
        sender={sender}
        result={sender.data ?? submitted}
        hidden={{ id: apiKey.id }}
        className="flex flex-col gap-4"
      >
        <KeyLimitFields initial={initial} />
        <div className="flex flex-wrap gap-3">
          <SubmitButton>Save limits</SubmitButton>
          <ButtonLink to="/dashboard/api" variant="secondary" preventScrollReset>
            Close
          </ButtonLink>
        </div>
      </ActionForm>
    </section>
  );
}
