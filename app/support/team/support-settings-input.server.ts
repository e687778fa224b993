import { formText } from "#app/http/requests/read-form.ts";
import { AWAY_MAX_CHARS, DAYS, isTimeZone, type SupportSettings } from "./business-hours.ts";

type Parsed = { ok: true; settings: SupportSettings } | { ok: false; fields: Record<string, string> };

/** The settings' form; `from-0` and `to-0` are Monday's `09:00` and `18:00`, both empty on a day off. */
export function parseSettings(form: FormData): Parsed {
  const fields: Record<string, string> = {};
  const text = (name: string) => formText(form, name);
  const timeZone = text("timeZone");
  if (!isTimeZone(timeZone)) fields.timeZone = "Choose a time zone such as Europe/Berlin";
  const awayMessage = text("awayMessage").replaceAll("\r\n", "\n");
  if (awayMessage.length > AWAY_MAX_CHARS) fields.awayMessage = "Use at most 1,000 characters";
  const days = DAYS.map((day, at) => {
    const [from, to] = [minuteOf(text(`from-${at}`)), minuteOf(text(`to-${at}`))];
    if (text(`from-${at}`) === "" && text(`to-${at}`) === "") return null;
    if (from !== null && to !== null && from < to) return { from, to };
    fields[`day-${at}`] = `Give both times of ${day}, the end after the beginning, or neither`;
    return null;
  });
  const hoursOn = form.get("hoursOn") !== null;
  if (hoursOn && Object.keys(fields).length === 0 && days.every((day) => day === null)) {
    fields["day-0"] = "Give the hours of one day at least, or switch the hours off";
  }
  if (Object.keys(fields).length > 0) return { ok: false, fields };
  return { ok: true, settings: { hoursOn, timeZone, days, awayMessage } };
}

/** Minutes from midnight; null for what is no time. */
function minuteOf(text: string): number | null {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text);
  return match ? Number(match[1]) * 60 + Number(match[2]) : null;
}
