import * as z from "zod/mini";
import {
  AWAY_MAX_CHARS,
  CONTACT_MAX_CHARS,
  DAY_MINUTES,
  isTimeZone,
  RESPONSE_MAX_MINUTES,
  type SupportSettings,
} from "./business-hours.ts";

const start = z.number().check(z.int(), z.minimum(0), z.maximum(DAY_MINUTES - 1));
const end = z.number().check(z.int(), z.minimum(1), z.maximum(2 * DAY_MINUTES));
const isOneDay = ({ from, to }: { from: number; to: number }) => from < to && to - from <= DAY_MINUTES;
const day = z.nullable(z.object({ from: start, to: end }).check(z.refine(isOneDay)));

export const settingsSchema: z.ZodMiniType<SupportSettings> = z.object({
  hoursOn: z.boolean(),
  timeZone: z.string().check(z.refine(isTimeZone)),
  days: z.array(day).check(z.length(7)),
  awayMessage: z.string().check(z.maxLength(AWAY_MAX_CHARS)),
  contactEmail: z._default(z.string().check(z.maxLength(CONTACT_MAX_CHARS)), ""),
  responseMinutes: z._default(
    z.nullable(z.number().check(z.int(), z.minimum(1), z.maximum(RESPONSE_MAX_MINUTES))),
    null,
  ),
  assignsInTurn: z._default(z.boolean(), false),
});
