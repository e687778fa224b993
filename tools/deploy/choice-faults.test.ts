import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deployedAlertEmails } from "#app/settings/site-settings.ts";
import {
  alertEmailsFault,
  BACKUP_LOCATIONS,
  databaseIdFault,
  domainFault,
  LOCATIONS,
  locationFault,
  loginErrorsFault,
  mailboxFault,
  secondFactorFault,
  senderFault,
} from "./choice-faults.ts";
import { KNOWN_VARIABLES, variableFaults } from "./variable-faults.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const FILE = "deployments/production.json";

test("accepts choices that can be deployed", () => {
  expect(domainFault("panel.your-domain.com")).toBeNull();
  expect(senderFault("no-reply@your-domain.com")).toBeNull();
  expect(mailboxFault("ops+smoke@your-domain.com")).toBeNull();
  for (const value of ["spec", "uniform"]) expect(loginErrorsFault(value)).toBeNull();
  for (const value of ["required", "off"]) expect(secondFactorFault(value)).toBeNull();
  expect(locationFault("weur")).toBeNull();
  expect(databaseIdFault("DB", "0a1b2c3d-0000-4000-8000-000000000000", FILE)).toBeNull();
});

test("refuses what is no host name, a workers.dev address and a placeholder as domain", () => {
  for (const value of ["", "https://panel.shop", "panel", "Panel.shop.com", "panel.shop.com/app", "-a.com"]) {
    expect(domainFault(value), value).toContain("must be a host name");
  }
  expect(domainFault("growline.me.workers.dev")).toContain("is a workers.dev address");
  for (const value of ["growline.example", "growline.test"]) expect(domainFault(value)).toContain("placeholder");
});

test("refuses a sender at .example, which is where no mail leaves from", () => {
  expect(senderFault("no-reply@growline.example")).toContain("No mail leaves from .example");
  for (const value of ["", "no-reply", "a@b", "A <a@b.com>"]) expect(senderFault(value), value).toContain("must be");
  expect(mailboxFault("smoke@growline.example")).toContain("whose mail you can read");
});

test("takes several addresses for alerts, as many as the worker does, and names the one that is none", () => {
  expect(alertEmailsFault("ops@your-domain.com")).toBeNull();
  const five = [1, 2, 3, 4, 5].map((one) => `ops${one}@your-domain.com`);
  expect(alertEmailsFault(five.join(", "))).toBeNull();
  expect(deployedAlertEmails({ ALERT_EMAIL: five.join(", ") })).toEqual({ addresses: five, isWhole: true });
  expect(alertEmailsFault([...five, "more@your-domain.com"].join())).toContain("up to 5 addresses, not to 6");
  for (const wrong of ["nobody", "ops@growline.example", "ops@a.com;me@b.com", "ops@a.com me@b.com", ""]) {
    expect(alertEmailsFault(`ops@your-domain.com,${wrong}`)).toContain(`not "${wrong}"`);
  }
});

test("keeps backups in another location than what they are of", () => {
  for (const location of LOCATIONS) {
    expect(LOCATIONS).toContain(BACKUP_LOCATIONS[location]);
    expect(BACKUP_LOCATIONS[location]).not.toBe(location);
  }
});

test("refuses choices that nobody has made", () => {
  expect(loginErrorsFault("")).toContain('"spec" or "uniform"');
  expect(secondFactorFault("maybe")).toContain('"required" or "off"');
  expect(locationFault("mars")).toContain("weur, eeur");
});

test("refuses the ids of zeros that stand for the local databases", () => {
  for (const id of ["00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000001", ""]) {
    expect(databaseIdFault("DB", id, FILE)).toContain("the deployment makes the database");
  }
});

test("refuses a variable that the worker would read as a default, one line each", () => {
  const fine = {
    ...{ API_REQUESTS_PER_MINUTE: "1200", CONVERSATIONS_KEPT_DAYS: "730", DATABASE_LIMIT_GB: "0.5" },
    ...{ REQUEST_LOG_SHARE: "1", DEBUG_PAGES: "on", PWNED_PASSWORDS_URL: "", LOGIN_ERRORS: "spec" },
    ...{ EMAIL_API_URL: "https://mail.your-domain.com", IOS_APP_ID: "TEAM.id" },
  };
  expect(variableFaults(fine)).toEqual([]);
  expect(
    variableFaults({ ...fine, CONVERSATIONS_KEPT_DAYS: "", DATABASE_LIMIT_GB: "", REQUEST_LOG_SHARE: "" }),
  ).toEqual([]);
  const wrong: Record<string, unknown[]> = {
    API_REQUESTS_PER_MINUTE: ["", "0", "1,200", "12e3", "-5", " 1200", 1200],
    CONVERSATIONS_KEPT_DAYS: ["30", "179", "3651", "two years", "365.5", 730],
    DATABASE_LIMIT_GB: ["0", "11", "10 GB"],
    REQUEST_LOG_SHARE: ["10%", "1.1", "-0.1", ".", 0.1],
    DEBUG_PAGES: ["true", "ON"],
    ENVIRONMENT: ["local", ""],
    LOGIN_ERRORS: ["", "Spec"],
    STAFF_SECOND_FACTOR: ["Off", ""],
    EMAIL_API_URL: ["http://mail.your-domain.com", "mail.your-domain.com", "https://localhost"],
    CONVERSATION_KEPT_DAYS: ["730"],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) {
      const faults = variableFaults({ ...fine, [name]: value });
      expect(faults, `${name} ${JSON.stringify(value)}`).toHaveLength(1);
      expect(faults[0]).toContain(name);
      expect(faults[0]).not.toContain("\n");
    }
  }
});

test("knows every variable that wrangler.toml names, also in a comment", () => {
  const toml = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  const section = toml.slice(toml.indexOf("[vars]"), toml.indexOf("[[d1_databases]]"));
  const named = [...section.matchAll(/^(?:# )?([A-Z][A-Z\d_]+) = "/gm)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !KNOWN_VARIABLES.includes(name ?? ""))).toEqual([]);
});
