import { z } from "zod";
import { readTypedEmail } from "#app/email-address.ts";
import { type Setting, type Settings, storedValues, switchSetting, type ValuesOf } from "#app/settings/setting.ts";
import { type BusinessHours, DAY_MINUTES, DAYS, type DayHours, dayText, isTimeZone } from "./business-hours.ts";

/** Settings of support, which are stored together. */

type Day = (typeof DAYS)[number];

const AWAY_MAX_CHARS = 1000;
/** No email address is longer. */
const CONTACT_MAX_CHARS = 254;
/** A week of minutes. */
const RESPONSE_MAX_MINUTES = 7 * DAY_MINUTES;
const NINE_TO_SIX = { from: 9 * 60, to: 18 * 60 };
const WORKING_DAYS = 5;
const OFF = "off";

/** The cards of the settings' page, in their order. `hours` says the bounds of all its settings. */
export const SUPPORT_GROUPS = {
  hours: {
    title: "Business hours",
    bounds: "One span a day, which may end on the day after, in one time zone",
    initial: "Off; 09:00–18:00 from Monday to Friday, UTC",
  },
  away: { title: "Away message" },
  contact: { title: "Contact" },
  "new-conversations": { title: "New conversations" },
} as const;

const timeZone: Setting<string> = {
  label: "Time zone",
  help: "",
  group: "hours",
  control: { kind: "zone" },
  initial: () => "UTC",
  value: z.string().refine(isTimeZone, "Choose a time zone, such as America/New_York."),
  parse: (typed) => typed,
  text: (zone) => zone,
};

const awayMessage: Setting<string> = {
  label: "Away message",
  help: "Sent once a day per conversation when a visitor writes outside business hours, unless an agent is viewing it.",
  group: "away",
  bounds: `Up to ${AWAY_MAX_CHARS.toLocaleString("en-US")} characters, or empty`,
  control: { kind: "text", rows: 4, maxLength: AWAY_MAX_CHARS },
  initial: () =>
    "Thanks for your message. We're away right now and will reply as soon as we're back. If you gave us your email, we'll send our reply there too.",
  value: z.string().max(AWAY_MAX_CHARS, "Use at most 1,000 characters."),
  parse: (typed) => typed.replaceAll("\r\n", "\n"),
  text: (message) => message,
};

const EMAIL_ERROR = "Enter an email address, such as help@example.com, or leave it empty.";

/** Shown on public pages. Empty: support is by chat only. */
const contactEmail: Setting<string> = {
  label: "Support email",
  help: "Shown with the business hours on the home page. Leave it empty to offer the chat only.",
  group: "contact",
  bounds: `One address of up to ${CONTACT_MAX_CHARS} characters, or empty`,
  control: { kind: "email", maxLength: CONTACT_MAX_CHARS },
  initial: () => "",
  value: z.string(EMAIL_ERROR).max(CONTACT_MAX_CHARS, EMAIL_ERROR),
  parse: (typed) => (typed === "" ? "" : readTypedEmail(typed)),
  text: (address) => address,
};

const RESPONSE_ERROR = "Enter whole minutes, from 1 to 10,080 (a week), or leave it empty.";

/** How soon a question is to be answered, in minutes of business hours. Null: there is no target. */
const responseMinutes: Setting<number | null> = {
  label: "First response target, in minutes",
  help: "Counts in business hours. Conversations over it come first in the lists. Applies to questions asked from now on.",
  group: "new-conversations",
  bounds: `1 to ${RESPONSE_MAX_MINUTES.toLocaleString("en-US")} minutes (a week), or empty`,
  control: { kind: "number", min: 1, max: RESPONSE_MAX_MINUTES },
  initial: () => null,
  value: z.int(RESPONSE_ERROR).min(1, RESPONSE_ERROR).max(RESPONSE_MAX_MINUTES, RESPONSE_ERROR).nullable(),
  parse: minutesIn,
  text: (minutes) => String(minutes ?? ""),
  logged: {
    name: "responseTarget",
    label: "First response target",
    text: (minutes) => (minutes === null ? OFF : `${minutes} min`),
    read: (text) => (text === OFF ? null : minutesIn(text.replace(" min", ""))),
  },
};

function minutesIn(typed: string): number | null {
  return typed === "" ? null : Number(typed);
}

const days = Object.fromEntries(DAYS.map((day, at) => [day, hoursOf(day, at)])) as Record<
  Day,
  ReturnType<typeof hoursOf>
>;

export const SUPPORT_SETTINGS = {
  hoursOn: switchSetting({
    label: "Business hours",
    box: "Use business hours",
    help: "Outside these hours, visitors see when you're back and get the away message.",
    group: "hours",
    initial: false,
    logged: { name: "hours" },
  }),
  timeZone,
  ...days,
  awayMessage,
  contactEmail,
  responseMinutes,
  assignsInTurn: switchSetting({
    label: "Assign new conversations in turn",
    help: "To the agents who have the console open and take new conversations. With nobody there, they stay unassigned.",
    group: "new-conversations",
    bounds: "On or off",
    initial: false,
  }),
} satisfies Settings;

export type SupportValues = ValuesOf<typeof SUPPORT_SETTINGS>;
/** The settings as they are stored. */
export type SupportSettings = Omit<SupportValues, Day> & BusinessHours;

/** Returns the settings by a stored value. What it lacks, or has out of bounds, has its default. */
export function readStoredSettings(stored: unknown): SupportSettings {
  const { days: week, ...rest } = (stored ?? {}) as Record<string, unknown>;
  const known = Array.isArray(week) ? week.slice(0, DAYS.length) : [];
  const hours = Object.fromEntries(known.map((day, at) => [DAYS[at], day]));
  return toSettings(storedValues(SUPPORT_SETTINGS, { ...rest, ...hours }, {}));
}

export const DEFAULT_SETTINGS = readStoredSettings(null);

export function toSettings(values: SupportValues): SupportSettings {
  const others = Object.entries(values).filter(([name]) => !DAYS.some((day) => day === name));
  return { ...(Object.fromEntries(others) as Omit<SupportSettings, "days">), days: DAYS.map((day) => values[day]) };
}

export function toValues({ days: week, ...settings }: SupportSettings): SupportValues {
  const hours = Object.fromEntries(DAYS.map((day, at) => [day, week[at] ?? null]));
  return { ...settings, ...(hours as Record<Day, DayHours | null>) };
}

/** The hours of a day, from `09:00–18:00`. Empty: a day off. */
function hoursOf(day: Day, at: number): Setting<DayHours | null> {
  const error = `Enter both times for ${day}, two that differ, or leave both empty.`;
  return {
    label: day,
    help: "",
    group: "hours",
    control: { kind: "span", day: at },
    initial: () => (at < WORKING_DAYS ? NINE_TO_SIX : null),
    value: z.custom<DayHours | null>((value) => value === null || isOneDay(value), error),
    parse: readHours,
    text: (hours) => (hours ? dayText(hours) : ""),
    logged: {
      text: (hours) => (hours ? dayText(hours) : OFF),
      read: (text) => readHours(text === OFF ? "" : text),
    },
  };
}

function isOneDay(value: unknown): boolean {
  const { from, to } = (value ?? {}) as Record<string, unknown>;
  return (
    Number.isInteger(from) &&
    Number.isInteger(to) &&
    Number(from) >= 0 &&
    Number(from) < DAY_MINUTES &&
    Number(to) > Number(from) &&
    Number(to) - Number(from) <= DAY_MINUTES
  );
}

/** An end that isn't after the start is on the day after; `24:00` and `00:00` are midnight. Undefined: no hours of a day. */
function readHours(text: string): DayHours | null | undefined {
  if (text === "") return null;
  const [start = "", end = ""] = text.split("–");
  const from = minuteOf(start);
  const to = end === "24:00" ? DAY_MINUTES : minuteOf(end);
  if (from === null || to === null) return undefined;
  if (from < to) return { from, to };
  // From 00:00 to 00:00 is all day. Of any other two equal times, one is likely a mistake.
  return from === to && from !== 0 ? undefined : { from, to: to + DAY_MINUTES };
}

/** Returns minutes from midnight, or null unless the text is a time. */
function minuteOf(text: string): number | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match ? Number(match[1]) * 60 + Number(match[2]) : null;
}
