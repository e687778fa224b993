import { formText } from "#app/http/requests/read-form.ts";
import {
  AWAY_MAX_CHARS,
  CONTACT_MAX_CHARS,
  DAYS,
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

/** Parses the settings form. `from-0` and `to-0` are Monday's `09:00` and `18:00`, both empty on a day off; its error is that of `from-0`. */
export function parseSettings(form: FormData): Parsed {
  const fieldErrors: Texts = {};
  const text = (name: string) => formText(form, name);
  const timeZone = text("timeZone");
  if (!isTimeZone(timeZone)) fieldErrors.timeZone = "Choose a time zone, such as America/New_York.";
  const awayMessage = text("awayMessage").replaceAll("\r\n", "\n");
  if (awayMessage.length > AWAY_MAX_CHARS) fieldErrors.awayMessage = "Use at most 1,000 characters.";
  const contactEmail = text("contactEmail");
  if (contactEmail !== "" && !isAddress(contactEmail)) {
    fieldErrors.contactEmail = "Enter an email address, such as help@example.com, or leave it empty.";
  }
  const typedMinutes = text("responseMinutes");
  const responseMinutes = typedMinutes === "" ? null : Number(typedMinutes);
  if (responseMinutes !== null && !isTarget(responseMinutes)) {
    fieldErrors.responseMinutes = "Enter whole minutes, from 1 to 10,080 (a week), or leave it empty.";
  }
  const days = DAYS.map((day, at) => {
    const [from, to] = [minuteOf(text(`from-${at}`)), minuteOf(text(`to-${at}`))];
    if (text(`from-${at}`) === "" && text(`to-${at}`) === "") return null;
    if (from !== null && to !== null && from < to) return { from, to };
    fieldErrors[`from-${at}`] = `Enter both times for ${day}, the end after the start, or leave both empty.`;
    return null;
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

function isAddress(text: string): boolean {
  return text.length <= CONTACT_MAX_CHARS && /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(text);
}

function isTarget(minutes: number): boolean {
  return Number.isInteger(minutes) && minutes >= 1 && minutes <= RESPONSE_MAX_MINUTES;
}

/** Returns minutes from midnight, or null unless the text is a time. */
function minuteOf(text: string): number | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match ? Number(match[1]) * 60 + Number(match[2]) : null;
}
