import { expect, test } from "vitest";
import { readStoredSettings } from "#app/support/team/team-settings.ts";
import { parseSupportForm } from "./support-settings-form.server.ts";

test("accepts the settings form as a whole or not at all", () => {
  const form = (change: Record<string, string>) => {
    const filled = new FormData();
    const base = { hoursOn: "on", timeZone: "UTC", awayMessage: "Away", "from-0": "09:00", "to-0": "17:30" };
    for (const [name, value] of Object.entries({ ...base, ...change })) filled.set(name, value);
    return parseSupportForm(filled);
  };
  const good = form({});
  expect(good).toMatchObject({
    ok: true,
    settings: { days: [{ from: 540, to: 1050 }, null, null, null, null, null, null] },
  });
  expect(good.ok && readStoredSettings(good.settings)).toEqual(good.ok && good.settings);
  expect(form({ timeZone: "Mars/Olympus" })).toMatchObject({
    ok: false,
    fieldErrors: { timeZone: expect.any(String) },
  });
  expect(form({ responseMinutes: "30", assignsInTurn: "on" })).toMatchObject({
    settings: { responseMinutes: 30, assignsInTurn: true },
  });
  expect(good).toMatchObject({ settings: { responseMinutes: null, assignsInTurn: false } });
  expect(form({ contactEmail: "help@growline.example" })).toMatchObject({
    ok: true,
    settings: { contactEmail: "help@growline.example" },
  });
  expect(good).toMatchObject({ settings: { contactEmail: "" } });
  for (const bad of ["help", "a b@growline.example", 'x"@growline.example', `${"x".repeat(250)}@a.example`]) {
    expect(form({ contactEmail: bad }), bad).toMatchObject({
      ok: false,
      fieldErrors: { contactEmail: expect.any(String) },
    });
  }
  for (const bad of ["0", "-5", "1.5", "soon", "20000"]) {
    expect(form({ responseMinutes: bad }), bad).toMatchObject({
      ok: false,
      fieldErrors: { responseMinutes: expect.any(String) },
    });
  }
  expect(form({ "to-0": "" })).toMatchObject({ ok: false, fieldErrors: { "from-0": expect.any(String) } });
  const mondayOf = (from: string, to: string) => {
    const parsed = form({ "from-0": from, "to-0": to });
    return parsed.ok ? readStoredSettings(parsed.settings).days[0] : null;
  };
  expect(mondayOf("22:00", "02:00")).toEqual({ from: 22 * 60, to: 26 * 60 });
  expect(mondayOf("09:00", "08:00")).toEqual({ from: 9 * 60, to: 32 * 60 });
  for (const midnight of ["00:00", "24:00"]) {
    expect(mondayOf("18:00", midnight)).toEqual({ from: 18 * 60, to: 24 * 60 });
    expect(mondayOf("00:00", midnight)).toEqual({ from: 0, to: 24 * 60 });
  }
  expect(form({ "to-0": "09:00" })).toMatchObject({ ok: false });
  expect(form({ "from-0": "24:00" })).toMatchObject({ ok: false });
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
