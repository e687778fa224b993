import { useFetcher } from "@remix-run/react";
import type { ReactNode } from "react";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormCheckbox } from "#app/components/forms/form-field.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import type { Endpoint } from "./endpoint-table.tsx";
import { type EndpointWants, WANT_TEXTS } from "./endpoint-wants.ts";

/** Changes what an endpoint gets. `submitted` is the result of a form that was submitted without scripts. */
export function EndpointEventsForm({ endpoint, submitted }: { endpoint: Endpoint; submitted: FormResult | null }) {
  const sender = useFetcher<FormResult>();
  return (
    <ActionForm
      asksIdentity
      intent="choose-events"
      sender={sender}
      result={sender.data ?? submitted}
      hidden={{ id: endpoint.id }}
      className="flex flex-col gap-4 border-t border-line p-4 sm:px-5"
    >
      <EventChoice
        initial={endpoint}
        legend={
          <>
            Events for <span className="font-mono break-all">{endpoint.url}</span>
          </>
        }
      />
      <div>
        <SubmitButton variant="secondary">Save events</SubmitButton>
      </div>
    </ActionForm>
  );
}

export function EventChoice({ legend, initial }: { legend: ReactNode; initial: EndpointWants }) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 text-sm font-medium">{legend}</legend>
      {WANT_TEXTS.map(({ name, label, help }) => (
        <FormCheckbox key={name} name={name} label={label} help={help} initial={initial[name]} />
      ))}
    </fieldset>
  );
}
