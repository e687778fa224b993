import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const page = readFileSync(join(root, "app/routes/site/privacy-policy.tsx"), "utf8").replaceAll(/\s+/g, " ");

/** Words of the privacy policy about each cookie. */
const COOKIES: Record<string, string> = {
  growline_auth: "keep you logged in (30 days)",
  growline_bookmark: "show you your last change (one hour)",
  growline_device: "recognize a browser that you logged in with (400 days)",
  growline_dismissed: "remember that you closed an announcement (30 days)",
  growline_flash: "carry a message to the next page (one minute)",
  growline_gmail: "to that mailbox (180 days)",
  growline_gmail_connect: "connection to Google (10 minutes)",
  growline_passkey: "bind the use of a passkey to this browser (one day)",
  growline_second_step: "the second step of a login (5 minutes)",
  growline_support: "access to its support conversation (180 days)",
};

/** Words about each file that uses the browser's or the app's storage. */
const STORAGE: Record<string, string> = {
  "app/accounts/session/stored-session.ts": "your session",
  "app/components/forms/use-draft.ts": "what you typed into forms",
  "app/components/page/theme-toggle.tsx": "the theme",
  "app/components/table/density-toggle.tsx": "the height of table rows",
  "app/gmail/connect/callback-page.ts": "the theme",
  "app/native/gate/onboarding-flags.ts": "whether you've seen the introduction",
  "app/native/gate/use-shell.ts": "whether you've seen the introduction",
  "app/native/shell/open-shell.ts": "the link that opened the app",
  "app/native/shell/session-backup.ts": "The app keeps a copy of the session",
  "app/support/client/find-conversation.ts": "the support conversation's ID",
  "app/support/client/first-message.ts": "unsent messages",
  "app/support/client/own-session.ts": "the support conversation's ID",
  "app/support/client/unsent-effects.ts": "unsent messages",
  "app/support/thread/notice-settings.ts": "sound settings",
  "app/support/widget/begin-message.ts": "what you typed into forms",
  "app/support/widget/support-widget.tsx": "the support conversation's ID",
};

/** These store nothing themselves. */
const WRAPPERS = ["app/components/storage/browser-storage.ts", "app/components/storage/replace-storage.ts"];

const sources = readdirSync(join(root, "app"), { recursive: true, encoding: "utf8" })
  .map((path) => `app/${path.replaceAll("\\", "/")}`)
  .filter((path) => /(?<!\.test)\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

test("names every cookie of the site in the privacy policy", () => {
  const created = sources.filter(({ text }) => text.includes("createCookie(")).map(({ path }) => path);
  expect(created).toEqual(["app/http/cookies.ts"]);
  const found = sources.flatMap(({ text }) => text.match(/(?<=")growline_[a-z_]+(?=")/g) ?? []);
  expect([...new Set(found)].sort()).toEqual(Object.keys(COOKIES));
  for (const [cookie, words] of Object.entries(COOKIES)) expect(page, cookie).toContain(words);
});

test("names whatever is kept in the browser's storage", () => {
  const uses = /\b(?:localStorage|sessionStorage|indexedDB|browserStorage|tabStorage)\b|@capacitor\/preferences/;
  const found = sources.filter(({ text }) => uses.test(text.replaceAll(/^\s*(?:\*|\/\/|\/\*).*$/gm, "")));
  const users = found.map(({ path }) => path).filter((path) => !WRAPPERS.includes(path));
  expect(users.sort()).toEqual(Object.keys(STORAGE));
  for (const [path, words] of Object.entries(STORAGE)) expect(page, path).toContain(words);
});

test("says what our team sees in the words of docs/personal-data.md", () => {
  const [, listed = ""] = readFileSync(join(root, "docs/personal-data.md"), "utf8").split("\n## What our team sees\n");
  const words = [...listed.matchAll(/^\| (.*?) +\| `\w+\.\w+`.*\|$/gm)].map(([, one = ""]) => one);
  expect(words.length).toBeGreaterThan(5);
  const [, seen = ""] = /<Part id="seen".*?>(.*?)<\/Part>/.exec(page) ?? [];
  expect(words.filter((one) => !seen.includes(one))).toEqual([]);
});

test("reaches the browser's storage only where nothing throws if it is forbidden", () => {
  const uses = /(?<!`try\{if\(|")\b(?:localStorage|sessionStorage)[.[]/;
  const found = sources.filter(({ text }) => text.split("\n").some((line) => uses.test(line) && !line.includes("try")));
  expect(found.map(({ path }) => path)).toEqual([]);
});
