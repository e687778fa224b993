import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import { EditForm } from "#app/components/forms/edit-form.tsx";
import { EMAIL_INPUT } from "#app/components/forms/field.tsx";
import { FormCheckbox, FormField } from "#app/components/forms/form-field.tsx";
import { SettingFacts } from "#app/components/forms/setting-facts.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { Card } from "#app/components/ui/card.tsx";
import { staffForm } from "#app/console/staff-action.server.ts";
import { beginEdit } from "#app/http/edits/edit-input.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { SettingSections } from "#app/site-settings/setting-section.tsx";
import { readSettingCards, settingIn, submitSetting } from "#app/site-settings/submit-setting.server.ts";
import { BusinessHoursFields } from "#app/support/console/settings/business-hours-fields.tsx";
import { AWAY_MAX_CHARS, CONTACT_MAX_CHARS, RESPONSE_MAX_MINUTES } from "#app/support/team/business-hours.ts";
import { readSettingFacts } from "#app/support/team/support-setting-facts.server.ts";
import { readVersionedSettings } from "#app/support/team/support-settings.server.ts";
import { submitSettingsForm } from "#app/support/team/support-settings-form.server.ts";
import { settingsTexts } from "#app/support/team/support-settings-input.server.ts";
import { labelsOf } from "#app/words/field-words.ts";
import { SUPPORT_SETTING_WORDS } from "#app/words/support-setting-words.ts";

function settingText(name: string, text: string): string {
  if (name === "hoursOn" || name === "assignsInTurn") return text === "" ? "Off" : "On";
  return text;
}

export const meta: MetaFunction = () => [{ title: `Settings · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
  const [{ settings, version }, cards] = await Promise.all([
    readVersionedSettings(context.db),
    readSettingCards(context.db, context.env),
  ]);
  const facts = await readSettingFacts(context.db, settings);
  return { cards, settings, facts, edit: beginEdit(version, settingsTexts(settings)), zones };
}

export const action = staffForm({}, async ({ context, actor, form }) => {
  const setting = settingIn(form);
  if (!setting) return submitSettingsForm(context.db, actor, form);
  const outcome = await submitSetting(context, actor, setting, form);
  context.forgetSiteState();
  return outcome;
});

export default function Settings() {
  const { cards, settings, facts, edit, zones } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  return (
    <>
      <h1 className="text-2xl">Settings</h1>
      <p className="mt-1 mb-6 max-w-prose text-sm text-muted">
        The{" "}
        <Link to="/admin/audit?about=settings" className="underline underline-offset-4 hover:text-text">
          audit log
        </Link>{" "}
        has every change.{" "}
        <Link to="/admin/announcements" className="underline underline-offset-4 hover:text-text">
          Announcements
        </Link>{" "}
        have their own page.
      </p>
      <section aria-labelledby="product-name" className="mb-6 rounded-md border border-line bg-raised p-4 sm:p-5">
        <h2 id="product-name" className="text-base font-medium">
          Product name
        </h2>
        <p className="mt-1 max-w-prose text-sm text-muted">
          <strong className="font-medium text-text">{PRODUCT_NAME}</strong>, on every page, in emails and in the apps.
          It's part of what browsers and phones keep, so it's set with a deployment:{" "}
          <code className="font-mono text-xs">PRODUCT_NAME</code> in{" "}
          <code className="font-mono text-xs">app/product.ts</code>, and <code className="font-mono text-xs">name</code>{" "}
          in <code className="font-mono text-xs">wrangler.toml</code>.
        </p>
      </section>
      <SettingSections cards={cards} result={result} />
      <h2 className="mt-10 text-xl">Support</h2>
      <EditForm
        asksIdentity
        edit={edit}
        labels={labelsOf(SUPPORT_SETTING_WORDS)}
        textOf={settingText}
        result={result}
        className="mt-6 flex flex-col gap-6"
      >
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 lg:grid-cols-2">
          <Card title="Business hours" titleId="hours">
            <BusinessHoursFields settings={settings} zones={zones} />
            <SettingFacts className="mt-3" {...facts.hours} />
          </Card>
          <div className="flex flex-col gap-6">
            <Card title="Away message" titleId="away">
              <FormField
                name="awayMessage"
                label={SUPPORT_SETTING_WORDS.awayMessage}
                optional
                help="Sent once a day per conversation when a visitor writes outside business hours, unless an agent is viewing it."
                initial={settings.awayMessage}
              >
                {(control, value) => <Textarea {...control} rows={4} maxLength={AWAY_MAX_CHARS} defaultValue={value} />}
              </FormField>
              <SettingFacts className="mt-3" {...facts.awayMessage} />
            </Card>
            <Card title="Contact" titleId="contact">
              <FormField
                name="contactEmail"
                label={SUPPORT_SETTING_WORDS.contactEmail}
                optional
                help="Shown with the business hours on the home page. Leave it empty to offer the chat only."
                initial={settings.contactEmail}
                {...EMAIL_INPUT}
                maxLength={CONTACT_MAX_CHARS}
                autoComplete="off"
                className="max-w-md"
              />
              <SettingFacts className="mt-3" {...facts.contactEmail} />
            </Card>
            <Card title="New conversations" titleId="new-conversations">
              <div>
                <FormField
                  name="responseMinutes"
                  label={SUPPORT_SETTING_WORDS.responseMinutes}
                  optional
                  help="Counts in business hours. Conversations over it come first in the lists. Applies to questions asked from now on."
                  initial={settings.responseMinutes ?? ""}
                  type="number"
                  inputMode="numeric"
                  min={1}
                  max={RESPONSE_MAX_MINUTES}
                  className="max-w-xs"
                />
                <SettingFacts className="mt-3" {...facts.responseMinutes} />
              </div>
              <div className="mt-5">
                <FormCheckbox
                  name="assignsInTurn"
                  label={SUPPORT_SETTING_WORDS.assignsInTurn}
                  help="To the agents who have the console open and take new conversations. With nobody there, they stay unassigned."
                  initial={settings.assignsInTurn}
                />
                <SettingFacts className="mt-3" {...facts.assignsInTurn} />
              </div>
            </Card>
          </div>
        </div>
        <SubmitButton className="self-start">Save settings</SubmitButton>
      </EditForm>
    </>
  );
}
