import { expect, test } from "vitest";
import {
  databaseIdFault,
  domainFault,
  locationFault,
  loginErrorsFault,
  mailboxFault,
  secondFactorFault,
  senderFault,
} from "./choice-faults.ts";

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
