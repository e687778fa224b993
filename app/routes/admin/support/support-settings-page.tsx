import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useLoaderData } from "@remix-run/react";
import { asStaff, requireRole } from "#app/accounts/session/viewer.server.ts";
import { ActionForm, SubmitButton } from "#app/components/forms/action-form.tsx";
import { FormCheckbox, FormField } from "#app/components/forms/form-field.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { BusinessHoursFields } from "#app/support/console/settings/business-hours-fields.tsx";
import { AWAY_MAX_CHARS, CONTACT_MAX_CHARS, RESPONSE_MAX_MINUTES } from "#app/support/team/business-hours.ts";
import { readSettings, saveSettings } from "#app/support/team/support-settings.server.ts";
import { parseSettings } from "#app/support/team/support-settings-input.server.ts";

export const meta: MetaFunction = () => [{ title: `Support settings · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
  return { settings: await readSettings(context.db), zones };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireRole(request, context, "admin");
  const parsed = parseSettings(form);
  if (!parsed.ok) {
    const { fieldErrors, values } = parsed;
    const result = { intent: "", ok: false, fieldErrors, values };
    return respondToForm(request, { kind: "shown", status: 400, result });
  }
  await asStaff(request, viewer, (actor) => saveSettings(context.db, parsed.settings, actor));
  const message = "Settings saved. They apply to open conversations within a minute.";
  return respondToForm(request, { kind: "done", message });
}

export default function Settings() {
  const { settings, zones } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  return (
    <>
      <h1 className="text-2xl">Support settings</h1>
      <ActionForm result={result} className="mt-6 flex max-w-2xl flex-col gap-6">
        <Card title="Business hours" titleId="hours">
          <BusinessHoursFields settings={settings} zones={zones} />
        </Card>
        <Card title="Away message" titleId="away">
          <FormField
            name="awayMessage"
            label="Message"
            optional
            help="Sent once a day per conversation when a visitor writes outside business hours, unless an agent is viewing it."
            initial={settings.awayMessage}
          >
            {(control, value) => <Textarea {...control} rows={4} maxLength={AWAY_MAX_CHARS} defaultValue={value} />}
          </FormField>
        </Card>
        <Card title="Contact" titleId="contact">
          <FormField
            name="contactEmail"
            label="Support email"
            optional
            help="Shown with the business hours on the home page. Leave it empty to offer the chat only."
            initial={settings.contactEmail}
            type="email"
            maxLength={CONTACT_MAX_CHARS}
            autoComplete="off"
            className="max-w-md"
          />
        </Card>
        <Card title="New conversations" titleId="new-conversations">
          <div className="flex flex-col gap-5">
            <FormField
              name="responseMinutes"
              label="First response target, in minutes"
              optional
              help="Counts in business hours. Conversations over it come first in the lists. Applies to questions asked from now on."
              initial={settings.responseMinutes ?? ""}
              type="number"
              inputMode="numeric"
              min={1}
              max={RESPONSE_MAX_MINUTES}
              className="max-w-xs"
            />
            <FormCheckbox
              name="assignsInTurn"
              label="Assign new conversations in turn"
              help="To the agents who have the console open and take new conversations. With nobody there, they stay unassigned."
              initial={settings.assignsInTurn}
            />
          </div>
        </Card>
        <SubmitButton className="self-start">Save settings</SubmitButton>
      </ActionForm>
    </>
  );
}
