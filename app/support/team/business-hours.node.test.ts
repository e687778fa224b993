import { expect, test } from "vitest";
import { awayText, DEFAULT_SETTINGS, isOpen, nextOpening, type SupportSettings } from "./business-hours.ts";
import { parseSettings } from "./support-settings-input.server.ts";
import { settingsSchema } from "./support-settings-schema.server.ts";

const BERLIN: SupportSettings = { ...DEFAULT_SETTINGS, hoursOn: true, timeZone: "Europe/Berlin" };
const at = (text: string) => Date.parse(text);

test("reads the hours on the team's clock, in summer and in winter", () => {
  expect(isOpen(BERLIN, at("2026-07-20T07:00:00Z"))).toBe(true);
  expect(isOpen(BERLIN, at("2026-07-20T06:59:59Z"))).toBe(false);
  expect(isOpen(BERLIN, at("2026-01-19T07:59:59Z"))).toBe(false);
  expect(isOpen(BERLIN, at("2026-01-19T08:00:00Z"))).toBe(true);
  expect(isOpen(BERLIN, at("2026-01-19T17:00:00Z"))).toBe(false);
  expect(isOpen({ ...BERLIN, hoursOn: false }, at("2026-01-18T03:00:00Z"))).toBe(true);
});

test("finds the next opening across a weekend and a clock change, and none without hours", () => {
  const next = (text: string) => new Date(nextOpening(BERLIN, at(text)) ?? 0).toISOString();
  expect(next("2026-01-16T18:00:00Z")).toBe("2026-01-19T08:00:00.000Z");
  // The clocks go forward on 29 March 2026.
  expect(next("2026-03-27T18:00:00Z")).toBe("2026-03-30T07:00:00.000Z");
  expect(next("2026-01-19T05:00:00Z")).toBe("2026-01-19T08:00:00.000Z");
  expect(nextOpening(BERLIN, at("2026-01-19T10:00:00Z"))).toBeNull();
  expect(nextOpening({ ...BERLIN, days: BERLIN.days.map(() => null) }, at("2026-01-19T10:00:00Z"))).toBeNull();
});

test("gives the away message one client id per day of the team's calendar", () => {
  const idAt = (text: string) => awayText(BERLIN, at(text))?.clientId;
  expect(idAt("2026-01-18T22:59:00Z")).toBe("away-2026-01-18");
  expect(idAt("2026-01-18T23:01:00Z")).toBe("away-2026-01-19");
  expect(idAt("2026-01-19T10:00:00Z")).toBeUndefined();
  expect(awayText({ ...BERLIN, awayMessage: "  " }, at("2026-01-18T12:00:00Z"))).toBeNull();
});

test("accepts the settings form as a whole or not at all", () => {
  const form = (change: Record<string, string>) => {
    const filled = new FormData();
    const base = { hoursOn: "on", timeZone: "UTC", awayMessage: "Away", "from-0": "09:00", "to-0": "17:30" };
    for (const [name, value] of Object.entries({ ...base, ...change })) filled.set(name, value);
    return parseSettings(filled);
  };
  const good = form({});
  expect(good).toMatchObject({
    ok: true,
    settings: { days: [{ from: 540, to: 1050 }, null, null, null, null, null, null] },
  });
  expect(good.ok && settingsSchema.safeParse(good.settings).success).toBe(true);
  expect(form({ timeZone: "Mars/Olympus" })).toMatchObject({
    ok: false,
    fieldErrors: { timeZone: expect.any(String) },
  });
  expect(form({ "to-0": "" })).toMatchObject({ ok: false, fieldErrors: { "from-0": expect.any(String) } });
  expect(form({ "to-0": "08:00" })).toMatchObject({ ok: false });
  expect(form({ "from-0": "25:00" })).toMatchObject({ ok: false });
  expect(form({ "from-0": "", "to-0": "" })).toMatchObject({
    ok: false,
    fieldErrors: { "from-0": expect.any(String) },
  });
  expect(form({ awayMessage: "x".repeat(1001) })).toMatchObject({
    ok: false,
    fieldErrors: { awayMessage: expect.any(String) },
  });
});
