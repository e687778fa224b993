import { z } from "zod";
import { LINK_CHECKS } from "#app/db/schema.server.ts";
import { EMAIL_MAX_CHARACTERS, emailKey, readExistingEmail, readTypedEmail } from "#app/email-address.ts";
import { ownValue } from "#app/own-value.ts";
import { MICRO } from "#app/product.ts";
import { SETTING_WORDS } from "#app/words/setting-words.ts";

/** Settings that admins set for the whole product, each with its default and its bounds. */

const CENT = MICRO / 100;
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

/** Addresses that the deployment tells of alerts, whatever admins set. `isWhole`: false if some were left out. */
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

/** The part of the environment that gives defaults. */
type DefaultsEnv = Partial<Pick<Env, "CONVERSATIONS_KEPT_DAYS">>;

type Setting<Value> = {
  title: string;
  /** A description of what it does, and from when a change applies. */
  help: string;
  /** Its bounds, in words. */
  bounds: string;
  control: "money" | "number" | "lines" | "text" | "choice" | "maintenance";
  choices?: Record<string, string>;
  initial: (env: DefaultsEnv) => Value;
  /** Accepts a stored value, within its bounds. */
  value: z.ZodType<Value>;
  /** Makes a value of what a form sends. What it can't read becomes something that `value` refuses. */
  parse: (typed: string, isOn: boolean) => unknown;
  /** Writes a value for the form and the audit log. */
  text: (value: Value) => string;
};

const setting = <Value>(given: Setting<Value>): Setting<Value> => given;

/** Days that something is kept, as a whole number within its bounds. */
function keptDays(given: { title: string; help: string; min: number; max: number; initial: number }): Setting<number> {
  const bounds = `${given.min} to ${given.max} days`;
  return setting({
    title: given.title,
    help: given.help,
    bounds,
    control: "number",
    initial: () => given.initial,
    value: z.int(`Enter ${bounds}`).min(given.min, `Enter ${bounds}`).max(given.max, `Enter ${bounds}`),
    parse: wholeNumber,
    text: String,
  });
}

function wholeNumber(typed: string): number | null {
  return /^\d{1,9}$/.test(typed) ? Number(typed) : null;
}

const CONVERSATION_DAYS = { min: 180, max: 3650 };
const MONEY_BOUNDS = "Enter an amount from $1 to $1,000, in whole cents";

export const SETTINGS = {
  maintenance: setting<{ on: boolean; text: string }>({
    title: SETTING_WORDS.maintenance,
    help: "Refuses new orders, mass orders and top-ups, on the web and by both APIs. Running orders, webhooks, support, alerts and this console go on. Applies to the next order at once.",
    bounds: `Up to ${MAX_MAINTENANCE_CHARS} characters, shown to customers`,
    control: "maintenance",
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
  }),
  min_top_up: setting<number>({
    title: SETTING_WORDS.min_top_up,
    help: "The smallest card payment. Codes and credits by staff have no minimum. Applies within 10 seconds.",
    bounds: "$1 to $1,000",
    control: "money",
    initial: () => 5 * MICRO,
    value: z
      .int(MONEY_BOUNDS)
      .min(MICRO, MONEY_BOUNDS)
      .max(1000 * MICRO, MONEY_BOUNDS)
      .multipleOf(CENT, MONEY_BOUNDS),
    parse: (typed) => {
      const [, whole, cents = ""] = /^\$?(\d{1,9})(?:\.(\d{1,2}))?$/.exec(typed) ?? [];
      return whole === undefined ? null : Number(whole) * MICRO + Number(cents.padEnd(2, "0")) * CENT;
    },
    text: (micro) => (micro / MICRO).toFixed(2),
  }),
  refund_policy: setting<string[]>({
    title: SETTING_WORDS.refund_policy,
    help: "Your own words below what the landing page says about refunds and refills. The product refunds what wasn't delivered and takes refills within their days whatever you write. Applies within a minute.",
    bounds: `Up to ${MAX_POLICY_PARAGRAPHS} paragraphs of ${MAX_POLICY_CHARS} characters, one per line`,
    control: "lines",
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
  }),
  terms_url: setting<string>({
    title: SETTING_WORDS.terms_url,
    help: "The address of your terms, which the landing page links to beside the privacy policy. Leave it empty for no link. Applies within a minute.",
    bounds: `An address that starts with https://, up to ${MAX_ADDRESS_CHARS} characters, or empty`,
    control: "text",
    initial: () => "",
    value: z
      .string()
      .max(MAX_ADDRESS_CHARS, `Use at most ${MAX_ADDRESS_CHARS} characters`)
      .refine((text) => text === "" || isSecureAddress(text), "Enter an address that starts with https://"),
    parse: (typed) => typed,
    text: (address) => address,
  }),
  alert_emails: setting<string[]>({
    title: SETTING_WORDS.alert_emails,
    help: "Who else gets an email when something needs a person. The deployment's own addresses always do, and can't be changed here. Everyone who gets alerts is emailed about a change. Applies to the next alert.",
    bounds: `Up to ${MAX_ALERT_EMAILS} addresses, one per line`,
    control: "lines",
    initial: () => [],
    value: z.array(storedAddress).max(MAX_ALERT_EMAILS, `Enter at most ${MAX_ALERT_EMAILS} addresses`),
    parse: typedAddresses,
    text: (addresses) => addresses.join("\n"),
  }),
  report_emails: setting<string[]>({
    title: SETTING_WORDS.report_emails,
    help: "Who gets last week's revenue, cost, margin and refunds by email, on Mondays. The email names services and providers, and no customers. Not sent after two weeks without an order. Leave it empty to send none.",
    bounds: `Up to ${MAX_REPORT_EMAILS} addresses, one per line`,
    control: "lines",
    initial: () => [],
    value: z.array(storedAddress).max(MAX_REPORT_EMAILS, `Enter at most ${MAX_REPORT_EMAILS} addresses`),
    parse: typedAddresses,
    text: (addresses) => addresses.join("\n"),
  }),
  link_check: setting<(typeof LINK_CHECKS)[number]>({
    title: SETTING_WORDS.link_check.label,
    help: "How strictly a new service checks the links of its orders. Each service can have another one. Existing services keep theirs, and imported ones start by asking customers.",
    bounds: "",
    control: "choice",
    choices: SETTING_WORDS.link_check.values,
    initial: () => "strict",
    value: z.enum(LINK_CHECKS, "Choose one"),
    parse: (typed) => typed,
    text: (check) => check,
  }),
  conversations_kept_days: setting<number | null>({
    title: SETTING_WORDS.conversations_kept_days,
    help: "Days after which a closed conversation is deleted with its files. The privacy policy names them. If empty, conversations are kept until the account is deleted.",
    bounds: `${CONVERSATION_DAYS.min} to ${CONVERSATION_DAYS.max} days, or empty`,
    control: "number",
    initial: ({ CONVERSATIONS_KEPT_DAYS }) => {
      const days = wholeNumber(CONVERSATIONS_KEPT_DAYS ?? "");
      return days !== null && days >= CONVERSATION_DAYS.min && days <= CONVERSATION_DAYS.max ? days : null;
    },
    value: z
      .int("Enter 180 to 3650 days, or leave it empty")
      .min(CONVERSATION_DAYS.min, "Enter 180 to 3650 days, or leave it empty")
      .max(CONVERSATION_DAYS.max, "Enter 180 to 3650 days, or leave it empty")
      .nullable(),
    parse: (typed) => (typed === "" ? null : (wholeNumber(typed) ?? -1)),
    text: (days) => (days === null ? "" : String(days)),
  }),
  emails_kept_days: keptDays({
    title: SETTING_WORDS.emails_kept_days,
    help: "Days that the list of sent emails goes back. Their texts are deleted once sent. The privacy policy promises 30 at most.",
    min: 7,
    max: 30,
    initial: 30,
  }),
  webhook_deliveries_kept_days: keptDays({
    title: SETTING_WORDS.webhook_deliveries_kept_days,
    help: "Days that customers see what was sent to their webhooks. One that waits to be sent is kept.",
    min: 7,
    max: 90,
    initial: 30,
  }),
  provider_log_kept_days: keptDays({
    title: SETTING_WORDS.provider_log_kept_days,
    help: "Days that a provider's own words are kept, for a question to it. Those of held orders are kept longer.",
    min: 7,
    max: 90,
    initial: 30,
  }),
};

export type SettingName = keyof typeof SETTINGS;
export type SiteSettings = { [Name in SettingName]: z.infer<(typeof SETTINGS)[Name]["value"]> };
export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[];

/** The settings of one kind, for code that treats all alike. */
export function settingOf(name: SettingName): Setting<unknown> {
  return SETTINGS[name] as Setting<unknown>;
}

/** Returns all settings. A stored value that is out of bounds, as after a change of the bounds, counts as none. */
export function withDefaults(stored: Record<string, unknown>, env: DefaultsEnv): SiteSettings {
  const values = SETTING_NAMES.map((name) => {
    const { value, initial } = settingOf(name);
    const known = Object.hasOwn(stored, name) ? value.safeParse(ownValue(stored, name)) : null;
    return [name, known?.success ? known.data : initial(env)];
  });
  return Object.fromEntries(values) as SiteSettings;
}
