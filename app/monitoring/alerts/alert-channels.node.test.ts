import { expect, test } from "vitest";
import { alertChannels } from "./alert-channels.ts";

const SECRET = `whsec_${Buffer.from("a secret of many bytes").toString("base64")}`;
const site = { ENVIRONMENT: "production", PUBLIC_ORIGIN: "https://growline.example" };
const url = "https://hooks.example/alerts";

test("takes up to five addresses and a signed webhook", () => {
  const emails = ["a@b.example", "c@d.example"];
  const env = { ...site, ALERT_EMAIL: emails.join(", "), ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: SECRET };
  expect(alertChannels(env)).toEqual({ emails, webhook: { url, secret: SECRET }, problems: [] });
  const six = alertChannels({ ...site, ALERT_EMAIL: "a@b.example,".repeat(6) });
  expect(six.emails).toHaveLength(5);
  expect(six.problems).toHaveLength(1);
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
