import { readTypedEmail } from "#app/email-address.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { DAYS } from "#app/words/support-setting-words.ts";
import {
  AWAY_MAX_CHARS,
  clockText,
  DAY_MINUTES,
  isTimeZone,
  RESPONSE_MAX_MINUTES,
  type SupportSettings,
} from "./business-hours.ts";

type Texts = Record<string, string>;
type Parsed = { ok: true; settings: SupportSettings } | { ok: false; fieldErrors: Texts; values: Texts };

const FIELDS = [
  "hoursOn",
  "timeZone",
  "awayMessage",
  "contactEmail",
  "responseMinutes",
  "assignsInTurn",
  ...DAYS.flatMap((_, at) => [`from-${at}`, `to-${at}`]),
];

/** Returns the settings as their form shows them. */
export function settingsTexts(settings: SupportSettings): Texts {
  const { hoursOn, timeZone, days, awayMessage, contactEmail, responseMinutes, assignsInTurn } = settings;
  const hours = days.flatMap((day, at) => [
    [`from-${at}`, day ? clockText(day.from) : ""],
    [`to-${at}`, day ? clockText(day.to) : ""],
  ]);
  return {
    ...(hoursOn && { hoursOn: "on" }),
    ...{ timeZone, awayMessage, contactEmail, responseMinutes: String(responseMinutes ?? "") },
    ...(assignsInTurn && { assignsInTurn: "on" }),
    ...Object.fromEntries(hours),
  };
}

/** Parses the settings form. `from-0` and `to-0` are Monday's `09:00` and `18:00`, both empty on a day off; its error is that of `from-0`. */
export function parseSettings(form: FormData): Parsed {
  const fieldErrors: Texts = {};
  const text = (name: string) => formText(form, name);
  const timeZone = text("timeZone");
  if (!isTimeZone(timeZone)) fieldErrors.timeZone = "Choose a time zone, such as America/New_York.";
  const awayMessage = text("awayMessage").replaceAll("\r\n", "\n");
  if (awayMessage.length > AWAY_MAX_CHARS) fieldErrors.awayMessage = "Use at most 1,000 characters.";
  const contactEmail = readTypedEmail(text("contactEmail")) ?? "";
  if (contactEmail === "" && text("contactEmail") !== "") {
    fieldErrors.contactEmail = "Enter an email address, such as help@example.com, or leave it empty.";
  }
  const typedMinutes = text("responseMinutes");
  const responseMinutes = typedMinutes === "" ? null : Number(typedMinutes);
  if (responseMinutes !== null && !isTarget(responseMinutes)) {
    fieldErrors.responseMinutes = "Enter whole minutes, from 1 to 10,080 (a week), or leave it empty.";
  }
  const days = DAYS.map((day, at) => {
    if (text(`from-${at}`) === "" && text(`to-${at}`) === "") return null;
    const hours = hoursOf(text(`from-${at}`), text(`to-${at}`));
    if (!hours) fieldErrors[`from-${at}`] = `Enter both times for ${day}, two that differ, or leave both empty.`;
    return hours;
  });
  const hoursOn = form.get("hoursOn") !== null;
  if (hoursOn && Object.keys(fieldErrors).length === 0 && days.every((day) => day === null)) {
    fieldErrors["from-0"] = "Enter hours for at least one day, or turn off business hours.";
  }
  if (Object.keys(fieldErrors).length > 0) {
    const sent = FIELDS.filter((name) => form.has(name));
    return { ok: false, fieldErrors, values: Object.fromEntries(sent.map((name) => [name, text(name)])) };
  }
  const assignsInTurn = form.get("assignsInTurn") !== null;
  return { ok: true, settings: { hoursOn, timeZone, days, awayMessage, contactEmail, responseMinutes, assignsInTurn } };
}

function isTarget(minutes: number): boolean {
  return Number.isInteger(minutes) && minutes >= 1 && minutes <= RESPONSE_MAX_MINUTES;
}

/** Returns a day's hours. An end that isn't after the start is on the day after; `24:00` and `00:00` are midnight. */
function hoursOf(start: string, end: string): { from: number; to: number } | null {
  const from = minuteOf(start);
  const to = end === "24:00" ? DAY_MINUTES : minuteOf(end);
  if (from === null || to === null) return null;
  if (from < to) return { from, to };
  // From 00:00 to 00:00 is all day. Of any other two equal times, one is likely a mistake.
  return from === to && from !== 0 ? null : { from, to: to + DAY_MINUTES };
}

/** Returns minutes from midnight, or null unless the text is a time. */
function minuteOf(text: string): number | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match ? Number(match[1]) * 60 + Number(match[2]) : null;
}
