import { expect, test } from "vitest";
import { alertChannels } from "./alert-channels.ts";

const SECRET = `whsec_${Buffer.from("a secret of many bytes").toString("base64")}`;
const site = { ENVIRONMENT: "production", PUBLIC_ORIGIN: "https://growline.example" };
const url = "https://hooks.example/alerts";

test("takes up to five addresses and a signed webhook", () => {
  const emails = ["a@b.example", "c@d.example"];
  const env = { ...site, ALERT_EMAIL: emails.join(", "), ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: SECRET };
  expect(alertChannels(env)).toEqual({ emails, webhook: { url, secret: SECRET }, problems: [] });
  const six = alertChannels({ ...site, ALERT_EMAIL: [1, 2, 3, 4, 5, 6].map((one) => `a${one}@b.example`).join() });
  expect(six.emails).toHaveLength(5);
  expect(six.problems).toHaveLength(1);
});

test("always tells the deployment's own addresses, and adds those that admins set", () => {
  const env = { ...site, ALERT_EMAIL: "ops@b.example" };
  expect(alertChannels(env, ["night@b.example", "OPS@b.example"]).emails).toEqual(["ops@b.example", "night@b.example"]);
  expect(alertChannels(env, []).emails).toEqual(["ops@b.example"]);
  const added = alertChannels(site, ["night@b.example"]);
  expect(added.emails).toEqual(["night@b.example"]);
  expect(added.problems.join(" ")).toContain("Set ALERT_EMAIL");
});

test("says that nobody is told, and what a setting lacks", () => {
  const problems = (env: object) => alertChannels({ ...site, ...env }).problems.join(" ");
  expect(problems({})).toContain("Nobody gets these alerts");
  expect(problems({ ALERT_EMAIL: "nobody" })).toContain("ALERT_EMAIL");
  expect(problems({ ALERT_WEBHOOK_URL: url })).toContain("ALERT_WEBHOOK_SECRET");
  expect(problems({ ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: "plain" })).toContain("ALERT_WEBHOOK_SECRET");
  for (const wrong of ["http://hooks.example", "https://10.0.0.1/", "https://localhost/", "no URL"]) {
    const env = { ...site, ALERT_WEBHOOK_URL: wrong, ALERT_WEBHOOK_SECRET: SECRET };
    expect(alertChannels(env).webhook, wrong).toBeNull();
    expect(problems(env)).toContain("ALERT_WEBHOOK_URL must be");
  }
});
