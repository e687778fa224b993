import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@playwright/test";
import type { LocalCopy } from "#tests/product/local-copy.ts";

type Mailed = { to: string[]; subject: string; text: string; html: string };

/** The newest mail to that address whose subject fits. Waits for it. */
export async function mailTo(copy: LocalCopy, to: string, subject: RegExp): Promise<Mailed> {
  let found: Mailed | undefined;
  await expect
    .poll(async () => {
      const text = await readFile(join(copy.stateDir, "mail.jsonl"), "utf8").catch(() => "");
      const mails = text.split("\n").filter(Boolean);
      found = mails
        .map((line) => JSON.parse(line) as Mailed)
        .findLast((mail) => mail.to.includes(to) && subject.test(mail.subject));
      return found !== undefined;
    }, `a mail to ${to}`)
    .toBe(true);
  if (!found) throw new Error("no mail");
  return found;
}

/** The link in that mail. */
export async function mailedLink(copy: LocalCopy, to: string, subject: RegExp): Promise<string> {
  return /https?:\S+/.exec((await mailTo(copy, to, subject)).text)?.[0] ?? "";
}
