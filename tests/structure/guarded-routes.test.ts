import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ALL_RESOURCES } from "#app/console/resources/all-resources.ts";
import { sourceFiles } from "./arrows.ts";

const ROUTES = join(import.meta.dirname, "..", "..", "app", "routes");

/**
 * Routes that make API keys and webhooks, end sessions, change a factor, or export data. They state the guard. Forms of staff
 * have it by `staffAction`.
 */
const GUARDED = [
  "account/two-step.tsx",
  "admin/list-export.ts",
  "dashboard/account-export.ts",
  "dashboard/account-page.tsx",
  "dashboard/api-page.tsx",
  "dashboard/orders/orders-csv.ts",
  "dashboard/wallet/transactions-csv.ts",
];

/** Routes that change factors by token. They state the guard that responds with error codes. */
const GUARDED_BY_TOKEN = [
  "auth/v1/passkey.ts",
  "auth/v1/passkey-registration-options.ts",
  "auth/v1/passkey-registration-verify.ts",
];

/** Routes whose form contains the password. They state the guard that asks for a factor, where the account has one. */
const ASK_IN_THEIR_FORM = ["account/delete.tsx", "auth/v1/user.ts", "dashboard/account-page.tsx"];

/** Routes that take the proof. */
const TAKE_PROOFS = ["auth/proof.ts", "auth/verify.tsx"];

/** Routes that do none of this: they sign in or out, or are for orders, support, Gmail, uploads and the catalog. */
const NOT_SENSITIVE = [
  "site/dismiss-announcement.ts",
  "account/email.tsx",
  "account/not-me.tsx",
  "account/reset-password.tsx",
  // Its link is the proof, and works after the password no longer does.
  "account/undo-email-change.tsx",
  "account/verify-email.tsx",
  // Makes test keys, which neither charge nor show anything of live orders.
  "api/docs.tsx",
  "api/not-found.ts",
  "api/create-order-v1.ts",
  "api/email-webhook.ts",
  "api/panel-action.ts",
  "api/panel-v2.ts",
  "api/stripe-webhook.ts",
  "auth/login.tsx",
  "auth/passkey-options.ts",
  "auth/second-step.tsx",
  "auth/logout.ts",
  "auth/signup.tsx",
  "auth/v1/logout.ts",
  "auth/v1/passkey-authentication-options.ts",
  "auth/v1/passkey-authentication-verify.ts",
  "auth/v1/recover.ts",
  "auth/v1/signup.ts",
  "auth/v1/token.ts",
  "dashboard/orders/mass-check.ts",
  "dashboard/orders/mass-order-page.tsx",
  "dashboard/orders/order-page.tsx",
  // Says what a code takes off. Attempts are limited.
  "dashboard/orders/percent-code-json.ts",
  "dashboard/orders/service-json.ts",
  "dashboard/seen-favorites.ts",
  "dashboard/overview.tsx",
  "dashboard/wallet/top-up-page.tsx",
  "dashboard/wallet/transactions-page.tsx",
  // Turns this browser's own notifications on and off.
  "push/subscriptions.ts",
  "gmail/oauth-auth-function.ts",
  "gmail/sync-function.ts",
  "gmail/sync-page.tsx",
  "site/page-not-found.tsx",
  "support/email.ts",
  "support/files.ts",
  "support/messages.ts",
  "support/rating.ts",
  "support/read.ts",
  "support/session.ts",
  "support/transcript.ts",
  "upload/page.tsx",
  "upload/part.ts",
  "upload/parts.ts",
];

/** Forms of staff that need no proof. */
const WITHOUT_PROOF = [
  // Disables codes, which has to be quick.
  "admin/customers/code-batch.tsx",
  // Allows emails to an address again.
  "admin/emails.tsx",
];

/** Calls of a function that changes or exports something, by the verb of its name. */
const CHANGES = /\b((?:submit|register|change|remove|export)[A-Z]\w*|csvAttachment)\(/g;

const ACTION = /export (async function action|const action|function action)/;

function sources(): [path: string, source: string][] {
  return readdirSync(ROUTES, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
    .map((path) => [path, readFileSync(join(ROUTES, path), "utf8")]);
}

test("states for every route that changes something whether it asks for a recent proof", () => {
  const changing = sources()
    .filter(([path, source]) => ACTION.test(source) && !isStaffForm(source) && !path.startsWith("admin/"))
    .map(([path]) => path);
  const listed = [...GUARDED, ...GUARDED_BY_TOKEN, ...ASK_IN_THEIR_FORM, ...TAKE_PROOFS, ...NOT_SENSITIVE];
  expect(changing.length).toBeGreaterThan(50);
  expect(changing.filter((path) => !listed.includes(path))).toEqual([]);
  expect(listed.filter((path) => !sources().some(([known]) => known === path))).toEqual([]);
});

test("states the guard in every route that needs it", () => {
  const stating = sources()
    .filter(([, source]) => /\brequireRecentProof\(request, viewer/.test(source))
    .map(([path]) => path);
  expect(stating.sort()).toEqual([...GUARDED].sort());
  const byToken = sources().filter(([, source]) => /\brequireProvenTokenViewer\(request, context\)/.test(source));
  expect(byToken.map(([path]) => path).sort()).toEqual([...GUARDED_BY_TOKEN].sort());
  const beside = sources().filter(([, source]) => /\b(require|lacks)FactorProof\((request, )?context\.db/.test(source));
  expect(beside.map(([path]) => path).sort()).toEqual([...ASK_IN_THEIR_FORM].sort());
});

test("lets no route without the guard call what another route guards", () => {
  const isGuarded = ([path, source]: [path: string, source: string]) =>
    [...GUARDED, ...GUARDED_BY_TOKEN].includes(path) || (isStaffForm(source) && !WITHOUT_PROOF.includes(path));
  const guarded = sources().filter(isGuarded);
  const sensitive = new Set(guarded.flatMap(([, source]) => changesIn(source)));
  expect(sensitive.size).toBeGreaterThan(25);
  const calling = sources().filter(
    (route) => !isGuarded(route) && changesIn(route[1]).some((name) => sensitive.has(name)),
  );
  expect(calling.map(([path]) => path)).toEqual([]);
  const withoutName = guarded.filter(
    ([path, source]) =>
      !GUARDED_BY_TOKEN.includes(path) && changesIn(source).length === 0 && !/\bresourceAction\(/.test(source),
  );
  expect(withoutName.map(([path]) => path)).toEqual([]);
});

test("takes every form of the console by staffAction, which asks for a recent proof unless the route says otherwise", () => {
  const console = sources().filter(([path, source]) => path.startsWith("admin/") && ACTION.test(source));
  expect(console.filter(([, source]) => isStaffForm(source)).length).toBeGreaterThan(18);
  // Calls by the support console's scripts, and the page that answers to unknown addresses.
  const others = console.filter(([path, source]) => !isStaffForm(source) && path !== "admin/not-found.tsx");
  expect(others.filter(([, source]) => !/\brequireStaffCall\(request, context\)/.test(source))).toEqual([]);
  const unasked = console.filter(([, source]) => /\bwithoutProof: true\b/.test(source)).map(([path]) => path);
  expect(unasked.sort()).toEqual(WITHOUT_PROOF);
  // Texts that an agent sends to one visitor after reading them.
  const records = ALL_RESOURCES.filter(({ withoutProof }) => withoutProof);
  expect(records.map(({ page }) => page.name)).toEqual(["replies"]);
});

function changesIn(source: string): string[] {
  return [...source.matchAll(CHANGES)].map(([, name = ""]) => name);
}

/** Routes that answer with one uploaded file, to people who may open it. */
const FILES = ["app/support/room/room-files.server.ts", "app/uploads/stored-files.server.ts"];
const EXPORTS = ["app/http/responses/csv-attachment.ts", "app/routes/dashboard/account-export.ts"];

test("states the guard in the loader of every export", () => {
  const saving = Object.entries(sourceFiles(join(import.meta.dirname, "..", "..")))
    .filter(([, source]) => /"Content-Disposition"\s*[,:]/.test(source))
    .map(([path]) => path);
  expect(saving.sort()).toEqual([...EXPORTS, ...FILES].sort());
  const answering = sources().filter(([, source]) => /\bcsvAttachment\(|Content-Disposition/.test(source));
  const named = readFileSync(join(ROUTES, "..", "routes.ts"), "utf8").matchAll(
    /route\("[^"]*(?:\.csv|\bexports?\b)[^"]*", "routes\/([^"]+)"/g,
  );
  const exporting = new Set([...answering.map(([path]) => path), ...[...named].map(([, path]) => path)]);
  expect(exporting.size).toBeGreaterThan(3);
  const loaders = sources()
    .filter(([, source]) => /\brequireRecentProof\(request, viewer/.test(loaderOf(source)))
    .map(([path]) => path);
  expect([...exporting].filter((path) => path === undefined || !loaders.includes(path))).toEqual([]);
});

/** Returns the loader's text, from its first line to the brace that ends it. */
function loaderOf(source: string): string {
  return /^export async function loader\b[\s\S]*?^\}/m.exec(source)?.[0] ?? "";
}

function isStaffForm(source: string): boolean {
  return /^export const action = (staff(Action|Form)|resourceAction)\(/m.test(source);
}

/**
 * Routes that read a session of staff without its second factor: what sets one up or takes it, log-out, and what leads
 * there from elsewhere. To all other routes such a session is nobody.
 */
const READ_HELD_SESSIONS = [
  "account/delete.tsx",
  "account/two-step.tsx",
  "auth/passkey-options.ts",
  "auth/proof.ts",
  "auth/v1/logout.ts",
  "auth/verify.tsx",
];

test("reads held sessions in the routes that need them only", () => {
  const reading = sources().filter(([, source]) => /\b(read|require)HeldViewer\(/.test(source));
  expect(reading.map(([path]) => path).sort()).toEqual(READ_HELD_SESSIONS);
});
