import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalCopy, startLocalCopy } from "#tests/product/local-copy.ts";
import { type SmokeTest, smokeTestOf } from "./smoke-test.ts";

const START_MS = 240_000;

let copy: LocalCopy;
const said: string[] = [];

beforeAll(async () => {
  copy = await startLocalCopy();
}, START_MS);

afterAll(() => copy.remove());

test("signs up, orders with a test key, chats and gets an email, then uses all of it again", {
  timeout: START_MS,
}, async () => {
  const smoke = smokeOf();
  await smokeTestOf(smoke)(null);
  expect(said).toEqual([
    "  ready: ok",
    "  sign-in: ok",
    expect.stringMatching(/^ {2}order: ok, service \d+$/),
    "  chat: ok",
    "  email: ok, left for smoke@growline.example",
  ]);
  const account = JSON.parse(readFileSync(smoke.accountFile, "utf8"));
  expect(account).toMatchObject({ email: "smoke@growline.example", apiKey: expect.stringMatching(/^gl_test_/) });
  expect(statSync(smoke.accountFile).mode & 0o777).toBe(0o600);

  // Another process: a device that the account doesn't know. The copy has one version.
  const version = (await fetch(copy.url)).headers.get("X-Worker-Version");
  expect(version).toMatch(/^[0-9a-f-]{36}$/);
  await smokeTestOf(smoke)(version);
  expect(said.slice(5)).toHaveLength(5);
  expect(JSON.parse(readFileSync(smoke.accountFile, "utf8"))).toEqual(account);
  expect(emailSubjects()).toEqual([expect.stringMatching(/^Confirm your email/), expect.stringMatching(/^New log-in/)]);
});

test("fails if another version answers than the one that was asked for", { timeout: START_MS }, async () => {
  await expect(smokeTestOf(smokeOf())("00000000-0000-4000-8000-000000000000")).rejects.toThrow(
    /^ready: .* was answered by .*, not by version 0{8}/,
  );
});

test("fails with what can't be done", { timeout: START_MS }, async () => {
  const smoke = { ...smokeOf(), email: copy.demo.customer.email };
  await expect(smokeTestOf(smoke)(null)).rejects.toThrow(`sign-in: ${smoke.email} couldn't sign up`);
});

function smokeOf(): SmokeTest {
  return {
    url: copy.url,
    worker: "growline",
    accountFile: join(copy.stateDir, "smoke.json"),
    email: "smoke@growline.example",
    say: (line) => said.push(line),
  };
}

function emailSubjects(): string[] {
  const lines = readFileSync(join(copy.stateDir, "emails.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { subject: string }).subject);
}
