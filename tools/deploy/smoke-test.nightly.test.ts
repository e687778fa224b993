import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { holdOutgoing, releaseOutgoing } from "#app/backup/restore/outgoing-hold.server.ts";
import { type LocalCopy, startLocalCopy } from "#tests/product/local-copy.ts";
import { openDatabase, whenFree } from "#tools/run/database.ts";
import { type SmokeTest, smokeTestAt, smokeTestOf } from "./smoke-test.ts";

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

test("waits for no email on a restored copy, which sends none before it is released", {
  timeout: START_MS,
}, async () => {
  const { binding, close } = await openDatabase({ remote: false, stateDir: copy.stateDir });
  try {
    await whenFree(() => holdOutgoing(binding, "a-backup", Date.now()));
    // An isolate keeps what it found for some seconds.
    await expect.poll(readReady, { timeout: 90_000 }).toMatchObject({ status: "ok", outgoing: "held" });
    const before = said.length;
    await smokeTestOf(smokeOf())(null);
    expect(said.slice(before)).toEqual([
      ...["  ready: ok", "  sign-in: ok", expect.stringMatching(/^ {2}order: ok/), "  chat: ok"],
      "  email: skipped, because this restored copy sends none before it is released",
    ]);
  } finally {
    await whenFree(() => releaseOutgoing(binding, Date.now()));
    await close();
  }
  await expect.poll(readReady, { timeout: 90_000 }).not.toHaveProperty("outgoing");
});

test("fails if another version answers than the one that was asked for", { timeout: START_MS }, async () => {
  await expect(smokeTestOf(smokeOf())("00000000-0000-4000-8000-000000000000")).rejects.toThrow(
    /^ready: .* was answered by .*, not by version 0{8}/,
  );
});

test("fails with what can't be done", { timeout: START_MS }, async () => {
  const smoke = { ...smokeOf(), email: copy.demo.customer.email };
  const kept = readFileSync(smoke.accountFile, "utf8");
  await expect(smokeTestOf(smoke)(null)).rejects.toThrow(`sign-in: ${smoke.email} couldn't sign up`);
  expect(readFileSync(smoke.accountFile, "utf8")).toBe(kept);
  const another = { ...smoke, accountFile: join(copy.stateDir, "another.json") };
  await expect(smokeTestOf(another)(null)).rejects.toThrow("couldn't sign up");
  expect(existsSync(another.accountFile)).toBe(false);
});

test("signs in or up with the account that it kept when a sign-up's answer was lost", {
  timeout: START_MS,
}, async () => {
  const accountFile = join(copy.stateDir, "lost.json");
  const lost = { ...smokeOf(), email: "lost@growline.example", accountFile };
  const site = createServer((request, response) =>
    request.url === "/readyz" ? response.end("{}") : request.socket.destroy(),
  );
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  await expect(smokeTestOf({ ...lost, url })(null)).rejects.toThrow("sign-in: fetch failed");
  site.close();
  const kept = JSON.parse(readFileSync(accountFile, "utf8"));
  // As of a site that has lost its data since.
  writeFileSync(accountFile, JSON.stringify({ ...kept, apiKey: "gl_test_00" }));
  await smokeTestOf(lost)(null);
  expect(JSON.parse(readFileSync(accountFile, "utf8"))).toEqual({
    ...kept,
    apiKey: expect.stringMatching(/^gl_test_[0-9a-f]{20}/),
  });
});

test("uses the account of a deployment's releases, and makes no state folder", () => {
  const root = mkdtempSync(join(copy.stateDir, "checkout-"));
  mkdirSync(join(root, "deployments"));
  const choices = { domain: "panel.your-domain.com", smokeTestEmail: "ops+smoke@your-domain.com" };
  writeFileSync(join(root, "deployments", "staging.json"), JSON.stringify(choices));
  const stateDir = join(root, "mistyped");
  const at = (url: string, address?: string) => smokeTestAt(root, url, { address, stateDir });
  expect(at("https://panel.your-domain.com/")).toMatchObject({
    email: choices.smokeTestEmail,
    accountFile: join(root, "deployments", "staging.smoke.json"),
  });
  expect(at("https://another.your-domain.com", "a@your-domain.com").accountFile).toBe(
    join(root, "deployments", "another.your-domain.com.smoke.json"),
  );
  expect(() => at("https://another.your-domain.com")).toThrow("one whose mail you can read");
  expect(() => at("http://localhost:8787")).toThrow(`${stateDir} holds no local copy.`);
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

async function readReady(): Promise<object> {
  return (await fetch(`${copy.url}/readyz`)).json() as Promise<object>;
}

function emailSubjects(): string[] {
  const lines = readFileSync(join(copy.stateDir, "emails.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { subject: string }).subject);
}
