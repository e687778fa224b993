import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import type { LocalCopy } from "#tests/product/local-copy.ts";
import { signUpByRequest } from "./fixtures.ts";

type ReceivedEmail = { to: string[]; subject: string; text: string; html: string };

/** Waits for an email to that address whose subject matches, and returns the newest. */
export async function emailTo(copy: LocalCopy, to: string, subject: RegExp): Promise<ReceivedEmail> {
  let found: ReceivedEmail | undefined;
  await expect
    .poll(async () => {
      const text = await readFile(join(copy.stateDir, "emails.jsonl"), "utf8").catch(() => "");
      const lines = text.split("\n").filter(Boolean);
      found = lines
        .map((line) => JSON.parse(line) as ReceivedEmail)
        .findLast((email) => email.to.includes(to) && subject.test(email.subject));
      return found !== undefined;
    }, `an email to ${to}`)
    .toBe(true);
  if (!found) throw new Error("no email");
  return found;
}

/** Returns the link in the newest email to that address whose subject matches. */
export async function linkInEmail(copy: LocalCopy, to: string, subject: RegExp): Promise<string> {
  return /https?:\S+/.exec((await emailTo(copy, to, subject)).text)?.[0] ?? "";
}

/** Signs up a new account, confirms its email address by the emailed link, and returns the address. Opens no page. */
export async function signUpConfirmed(page: Page, copy: LocalCopy, fullName?: string): Promise<string> {
  const email = await signUpByRequest(page, fullName);
  const link = new URL(await linkInEmail(copy, email, /^Confirm your email address/));
  const form = { token: link.searchParams.get("token") ?? "" };
  const confirmed = await page.request.post(link.pathname, { form, headers: { Origin: copy.url } });
  expect(confirmed.status()).toBe(200);
  return email;
}
