import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Form, useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { actorOf, requireRole } from "#app/accounts/session/viewer.server.ts";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { flashCookie } from "#app/components/toast/flash-cookie.ts";
import { Button } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { readForm } from "#app/http/requests/read-form.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { AWAY_MAX_CHARS, clockText, DAYS } from "#app/support/team/business-hours.ts";
import { readSettings, saveSettings } from "#app/support/team/support-settings.server.ts";
import { parseSettings } from "#app/support/team/support-settings-input.server.ts";

export const meta: MetaFunction = () => [{ title: `Support settings · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const settings = await readSettings(context.db);
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
  const days = DAYS.map((name, at) => {
    const hours = settings.days[at];
    return { name, from: hours ? clockText(hours.from) : "", to: hours ? clockText(hours.to) : "" };
  });
  return { settings, zones, days };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const viewer = await requireRole(request, context, "admin");
  const form = await readForm(request);
  const parsed = parseSettings(form);
  if (!parsed.ok) {
    const values = Object.fromEntries([...form].map(([name, value]) => [name, String(value)]));
    return data({ fields: parsed.fields, values }, { status: 400 });
  }
  await saveSettings(context.db, parsed.settings, actorOf(viewer));
  const notice = "Settings saved. They apply to open conversations within a minute.";
  return redirect("/admin/settings", { headers: { "Set-Cookie": flashCookie(notice) } });
}

export default function Settings() {
  const { settings, zones, days } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  const busy = useNavigation().state === "submitting";
  const errors: Record<string, string> = result?.fields ?? {};
  const typed: Record<string, string> | undefined = result?.values;
  return (
    <>
      <h1 className="text-2xl">Support settings</h1>
      <Form method="post" className="mt-6 flex max-w-2xl flex-col gap-6">
        <Card title="Business hours" titleId="hours">
          <div className="flex flex-col gap-4">
            <label className="flex min-h-11 items-center gap-3 text-sm sm:min-h-0">
              <input
                type="checkbox"
                name="hoursOn"
                defaultChecked={typed ? "hoursOn" in typed : settings.hoursOn}
                className="size-4 accent-accent"
              />
              <span>
                Use business hours
                <span className="block text-muted">
                  Outside these hours, visitors see when you’re back and get the away message.
                </span>
              </span>
            </label>
            <Field id="settings-zone" label="Time zone" error={errors.timeZone}>
              {(control) => (
                <Select {...control} name="timeZone" defaultValue={typed?.timeZone ?? settings.timeZone}>
                  {zones.map((zone) => (
                    <option key={zone}>{zone}</option>
                  ))}
                </Select>
              )}
            </Field>
            <ul className="flex flex-col gap-3">
              {days.map(({ name, from, to }, at) => (
                <li key={name}>
                  <fieldset className="grid grid-cols-2 items-center gap-x-3 gap-y-1.5 text-sm sm:grid-cols-[minmax(0,1fr)_140px_140px]">
                    <legend className="sr-only">{name}</legend>
                    <span aria-hidden className="col-span-2 sm:col-span-1">
                      {name}
                    </span>
                    <Input
                      type="time"
                      name={`from-${at}`}
                      aria-label={`${name} from`}
                      aria-invalid={errors[`day-${at}`] ? true : undefined}
                      aria-describedby={errors[`day-${at}`] ? `day-${at}-error` : undefined}
                      defaultValue={typed?.[`from-${at}`] ?? from}
                    />
                    <Input
                      type="time"
                      name={`to-${at}`}
                      aria-label={`${name} to`}
                      aria-invalid={errors[`day-${at}`] ? true : undefined}
                      aria-describedby={errors[`day-${at}`] ? `day-${at}-error` : undefined}
                      defaultValue={typed?.[`to-${at}`] ?? to}
                    />
                  </fieldset>
                  {errors[`day-${at}`] && (
                    <p id={`day-${at}-error`} className="mt-1 text-sm text-bad">
                      {errors[`day-${at}`]}
                    </p>
                  )}
                </li>
              ))}
            </ul>
            <p className="text-sm text-muted">Leave both times empty on days off.</p>
          </div>
        </Card>
        <Card title="Away message" titleId="away">
          <Field
            id="settings-away"
            label="Message"
            optional
            help="Sent once a day per conversation when a visitor writes outside business hours, unless an agent is viewing it."
            error={errors.awayMessage}
          >
            {(control) => (
              <Textarea
                {...control}
                name="awayMessage"
                rows={4}
                maxLength={AWAY_MAX_CHARS}
                defaultValue={typed?.awayMessage ?? settings.awayMessage}
              />
            )}
          </Field>
        </Card>
        <Button type="submit" busy={busy} className="self-start">
          Save settings
        </Button>
      </Form>
    </>
  );
}
