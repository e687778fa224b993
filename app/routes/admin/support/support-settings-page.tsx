import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { SubmitButton } from "#app/components/forms/action-form.tsx";
import { EditForm } from "#app/components/forms/edit-form.tsx";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { SiteSettingCards, SupportSettingCards } from "#app/console/settings/setting-cards.tsx";
import { readSettingCards, settingIn, submitSetting } from "#app/console/settings/site-settings-form.server.ts";
import {
  readSupportCards,
  SUPPORT_LABELS,
  submitSettingsForm,
  supportTexts,
} from "#app/console/settings/support-settings-form.server.ts";
import { staffForm } from "#app/console/staff-action.server.ts";
import { beginEdit } from "#app/http/edits/edit-input.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { readVersionedSettings } from "#app/support/team/support-settings.server.ts";

export const meta: MetaFunction = () => [{ title: `Settings · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const zones = ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];
  const [{ settings, version }, cards] = await Promise.all([
    readVersionedSettings(context.db),
    readSettingCards(context.db, context.env),
  ]);
  const support = await readSupportCards(context.db, settings);
  const edit = beginEdit(version, supportTexts(settings));
  return { cards, support, labels: SUPPORT_LABELS, edit, zones };
}

export const action = staffForm({}, async ({ context, actor, form }) => {
  const setting = settingIn(form);
  if (!setting) return submitSettingsForm(context.db, actor, form);
  const outcome = await submitSetting(context, actor, setting, form);
  context.forgetSiteState();
  return outcome;
});

export default function Settings() {
  const { cards, support, labels, edit, zones } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  const switches = support.flatMap(({ settings }) => settings.filter(({ control }) => control.kind === "switch"));
  const textOf = (name: string, text: string) => {
    return switches.some(({ input }) => input === name) ? (text === "" ? "Off" : "On") : text;
  };
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
      <SiteSettingCards cards={cards} result={result} />
      <h2 className="mt-10 text-xl">Support</h2>
      <EditForm
        asksIdentity
        edit={edit}
        labels={labels}
        textOf={textOf}
        result={result}
        className="mt-6 flex flex-col gap-6"
      >
        <SupportSettingCards cards={support} zones={zones} />
        <SubmitButton className="self-start">Save settings</SubmitButton>
      </EditForm>
    </>
  );
}
