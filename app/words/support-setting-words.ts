import type { FieldWords } from "./field-words.ts";

/** The days of business hours, from Monday on. */
export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

const HOURS = "Business hours";
const RESPONSE = "First response target";

const DAY_WORDS: Record<string, string> = Object.fromEntries(
  DAYS.flatMap((day, at) => [
    [day, day],
    [`from-${at}`, `${day} from`],
    [`to-${at}`, `${day} to`],
  ]),
);

/** What the support settings are called. The log has one part for each day, and the hours and the target with their unit. */
export const SUPPORT_SETTING_WORDS = {
  hoursOn: HOURS,
  hours: HOURS,
  timeZone: "Time zone",
  ...DAY_WORDS,
  awayMessage: "Away message",
  contactEmail: "Support email",
  responseMinutes: `${RESPONSE}, in minutes`,
  responseTarget: RESPONSE,
  assignsInTurn: "Assign new conversations in turn",
} satisfies FieldWords;
