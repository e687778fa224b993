import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@playwright/test";
import type { LocalCopy } from "../local-copy.ts";

/** The link in the newest mail to that address whose subject fits. Waits for the mail. */
export async function mailedLink(copy: LocalCopy, to: string, subject: RegExp): Promise<string> {
  let link = "";
  await expect
    .poll(async () => {
      const text = await readFile(join(copy.stateDir, "mail.jsonl"), "utf8").catch(() => "");
      const mails = text.split("\n").filter(Boolean);
      const found = mails
        .map((line) => JSON.parse(line) as { to: string[]; subject: string; text: string })
        .findLast((mail) => mail.to.includes(to) && subject.test(mail.subject));
      link = /https?:\S+/.exec(found?.text ?? "")?.[0] ?? "";
      return link;
    }, `a mail to ${to}`)
    .not.toBe("");
  return link;
}
