import { z } from "zod";
import { EMAIL_MAX_CHARACTERS, emailKey, readExistingEmail, readTypedEmail } from "#app/email-address.ts";
import { MICRO } from "#app/product.ts";
import { LINK_CHECK_WORDS } from "#app/words/service-words.ts";
import {
  choiceSetting,
  type DefaultsEnv,
  keptDays,
  keptDaysOrForever,
  lineSetting,
  moneySetting,
  type Setting,
  type Settings,
  storedValues,
  type ValuesOf,
} from "./setting.ts";

/** Settings that admins set for the whole product, each a row of its own. */

/** The limit for the deployment's addresses, and for those that admins add. */
export const MAX_ALERT_EMAILS = 5;
const MAX_REPORT_EMAILS = 5;
const MAX_MAINTENANCE_CHARS = 300;
const MAX_POLICY_PARAGRAPHS = 5;
const MAX_POLICY_CHARS = 300;
const MAX_ADDRESS_CHARS = 200;

/** A stored address, which may be older than the rule for typed ones. */
const storedAddress = z
  .string()
  .max(EMAIL_MAX_CHARACTERS, "An address has at most 254 characters")
  .refine((text) => readExistingEmail(text) !== null, "Enter one address per line");

function addressesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

/** Returns the addresses in the form to store. One that can't be typed becomes an empty text, which is refused. */
function typedAddresses(text: string): string[] {
  return addressesIn(text).map((one) => readTypedEmail(one) ?? (one.length > EMAIL_MAX_CHARACTERS ? one : ""));
}

/** Alert addresses set by the deployment, which admins can't remove. `isWhole` is false if some were left out. */
export function deployedAlertEmails({ ALERT_EMAIL }: Partial<Pick<Env, "ALERT_EMAIL">>) {
  const given = addressesIn(ALERT_EMAIL ?? "");
  const addresses = given.flatMap((one) => readExistingEmail(one) ?? []).slice(0, MAX_ALERT_EMAILS);
  return { addresses, isWhole: addresses.length === given.length };
}

/** Returns everybody who is emailed about alerts, each once. */
export function alertRecipients(env: Partial<Pick<Env, "ALERT_EMAIL">>, added: string[]): string[] {
  const all = [...deployedAlertEmails(env).addresses, ...added];
  const folded = all.map(emailKey);
  return all.filter((_, index) => folded.indexOf(folded[index] ?? "") === index);
}

function isSecureAddress(text: string): boolean {
  return text.startsWith("https://") && !/\s/.test(text) && URL.canParse(text);
}

/** The cards of the settings' page, in their order. */
export const SETTING_GROUPS = {
  orders: "Orders and payments",
  policies: "Policies",
  alerts: "Alerts",
  reports: "Reports",
  retention: "Retention",
} as const;

type Words = { label: string; help: string; group: keyof typeof SETTING_GROUPS };

/** Addresses of email, one per line. */
function addressesSetting({ max, ...words }: Words & { max: number }): Setting<string[]> {
  return {
    ...words,
    bounds: `Up to ${max} addresses, one per line`,
    control: { kind: "text", rows: 3 },
    initial: () => [],
    value: z.array(storedAddress).max(max, `Enter at most ${max} addresses`),
    parse: typedAddresses,
    text: (addresses) => addresses.join("\n"),
  };
}

const maintenance: Setting<{ on: boolean; text: string }> = {
  label: "Maintenance mode",
  help: "Refuses new orders, mass orders and top-ups, on the web and by both APIs. Running orders, webhooks, support, alerts and this console go on. Applies to the next order at once.",
  group: "orders",
  bounds: `Up to ${MAX_MAINTENANCE_CHARS} characters, shown to customers`,
  control: {
    kind: "switchedText",
    box: "Refuse new orders and top-ups",
    label: "Text for customers",
    rows: 2,
    maxLength: MAX_MAINTENANCE_CHARS,
  },
  initial: () => ({ on: false, text: "" }),
  value: z.strictObject({
    on: z.boolean(),
    text: z
      .string()
      .max(MAX_MAINTENANCE_CHARS, `Use at most ${MAX_MAINTENANCE_CHARS} characters`)
      // One line of plain text: it is part of API errors, too.
      .regex(/^[^\p{Cc}]*$/u, "Use one line of plain text"),
  }),
  parse: (typed, on) => ({ on, text: typed }),
  text: ({ on, text }) => `${on ? "on" : "off"}${text && `: ${text}`}`,
  logged: {
    read: (logged) => {
      const [, state, text = ""] = /^(on|off)(?:: (.*))?$/s.exec(logged) ?? [];
      return { on: state === "on", text };
    },
  },
};

const refundPolicy: Setting<string[]> = {
  label: "Refund policy",
  help: "Your own words below what the landing page says about refunds and refills. The product refunds what wasn't delivered and takes refills within their days whatever you write. Applies within a minute.",
  group: "policies",
  bounds: `Up to ${MAX_POLICY_PARAGRAPHS} paragraphs of ${MAX_POLICY_CHARS} characters, one per line`,
  control: { kind: "text", rows: 3 },
  initial: () => [],
  value: z
    .array(z.string().min(1).max(MAX_POLICY_CHARS, `Use at most ${MAX_POLICY_CHARS} characters per paragraph`))
    .max(MAX_POLICY_PARAGRAPHS, `Enter at most ${MAX_POLICY_PARAGRAPHS} paragraphs`),
  parse: (typed) =>
    typed
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean),
  text: (paragraphs) => paragraphs.join("\n"),
};

export const SETTINGS = {
  maintenance,
  min_top_up: moneySetting({
    label: "Minimum top-up",
    help: "The smallest card payment. Codes and credits by staff have no minimum. Applies within 10 seconds.",
    group: "orders",
    min: 1,
    max: 1000,
    initial: 5 * MICRO,
  }),
  link_check: choiceSetting({
    label: "Link check of new services",
    help: "How strictly a new service checks the links of its orders. Each service can have another one. Existing services keep theirs, and imported ones start by asking customers.",
    group: "orders",
    values: LINK_CHECK_WORDS,
    initial: "strict",
  }),
  refund_policy: refundPolicy,
  terms_url: lineSetting({
    label: "Terms of service",
    help: "The address of your terms, which the landing page links to beside the privacy policy. Leave it empty for no link. Applies within a minute.",
    group: "policies",
    bounds: `An address that starts with https://, up to ${MAX_ADDRESS_CHARS} characters, or empty`,
    value: z
      .string()
      .max(MAX_ADDRESS_CHARS, `Use at most ${MAX_ADDRESS_CHARS} characters`)
      .refine((text) => text === "" || isSecureAddress(text), "Enter an address that starts with https://"),
  }),
  alert_emails: addressesSetting({
    label: "More alert addresses",
    help: "Who else gets an email when something needs a person. The deployment's own addresses always do, and can't be changed here. Everyone who gets alerts is emailed about a change. Applies to the next alert.",
    group: "alerts",
    max: MAX_ALERT_EMAILS,
  }),
  report_emails: addressesSetting({
    label: "Weekly report goes to",
    help: "Who gets last week's revenue, cost, margin and refunds by email, on Mondays. The email names services and providers, and no customers. Not sent after two weeks without an order. Leave it empty to send none.",
    group: "reports",
    max: MAX_REPORT_EMAILS,
  }),
  conversations_kept_days: keptDaysOrForever({
    label: "Closed conversations",
    help: "Days after which a closed conversation is deleted with its files. The privacy policy names them. If empty, conversations are kept until the account is deleted.",
    group: "retention",
    min: 180,
    max: 3650,
    initial: ({ CONVERSATIONS_KEPT_DAYS }) => CONVERSATIONS_KEPT_DAYS,
  }),
  emails_kept_days: keptDays({
    label: "Sent emails",
    help: "Days that the list of sent emails goes back. Their texts are deleted once sent. The privacy policy promises 30 at most.",
    group: "retention",
    min: 7,
    max: 30,
    initial: 30,
  }),
  webhook_deliveries_kept_days: keptDays({
    label: "Webhook deliveries",
    help: "Days that customers see what was sent to their webhooks. One that waits to be sent is kept.",
    group: "retention",
    min: 7,
    max: 90,
    initial: 30,
  }),
  provider_log_kept_days: keptDays({
    label: "Provider responses",
    help: "Days that a provider's own words are kept, for a question to it. Those of held orders are kept longer.",
    group: "retention",
    min: 7,
    max: 90,
    initial: 30,
  }),
} satisfies Settings;

export type SettingName = keyof typeof SETTINGS;
export type SiteSettings = ValuesOf<typeof SETTINGS>;
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The settings of one kind, for code that treats all alike. */
export function settingOf(name: SettingName): Setting<unknown> {
  return SETTINGS[name] as Setting<unknown>;
}

/** Returns all settings, by their stored values. */
export function withDefaults(stored: Record<string, unknown>, env: DefaultsEnv): SiteSettings {
  return storedValues(SETTINGS, stored, env);
}
