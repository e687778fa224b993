import type { TableName } from "#tests/workerd/personal-rows.ts";

/** Returns a value of the attacked customer's row. */
export type Theirs = (table: TableName, column?: string) => string;
/** More rows of the attacked customer: orders that can still be canceled or refilled, and an upload that can be ended, once each. */
export type PreparedRow = "canceled" | "canceledByKey" | "refilled" | "unfinished";
export type Prepared = (name: PreparedRow) => string;
type FromRows<T> = (theirs: Theirs, prepared: Prepared) => T;

/**
 * A request by which a customer changes something of their own. `survives` says why it may still take effect although its
 * session ended after the request was let in; without it, it may not. `refused` is the status for another customer who names
 * a row in it, 404 without it.
 */
export type CustomerWrite = {
  route: string;
  method?: "POST" | "PUT" | "PATCH" | "DELETE";
  intent?: string;
  params?: FromRows<Record<string, string>>;
  query?: string;
  form?: FromRows<Record<string, string>>;
  json?: FromRows<unknown>;
  /** By the customer's API key, which no session holds. */
  byKey?: boolean;
  survives?: string;
  refused?: number;
};

const TAKES_AWAY = "It only takes access away, which has to be quick";
const ASKED = "It does what was asked for while logged in, and gives nobody access";

const ofId = (table: TableName) => (theirs: Theirs) => ({ id: theirs(table, "id") });
const ofRoom = (theirs: Theirs) => ({ id: theirs("supportSessions", "session_id") });
const order = (theirs: Theirs, link: string) => ({
  service: theirs("orders", "service_id"),
  link: `https://instagram.com/p/${link}`,
  quantity: "1000",
});
const DRAFT = "mass-6f9619ff-8b86-4d01-b42d-00c04fc964ff";

/** Every change that a customer can ask for, in an order in which the owner can ask for all of them. */
export const CUSTOMER_WRITES: CustomerWrite[] = [
  { route: "/dashboard/api", intent: "create-key", form: () => ({ name: "Mine", may: "order" }) },
  {
    route: "/dashboard/api",
    intent: "limit-key",
    form: (theirs) => ({ ...ofId("apiKeys")(theirs), expires: "never", dailyCap: "7" }),
  },
  { route: "/dashboard/api", intent: "rotate-key", form: ofId("apiKeys") },
  { route: "/dashboard/api", intent: "revoke-key", form: ofId("apiKeys"), survives: TAKES_AWAY },
  {
    route: "/dashboard/api",
    intent: "create-webhook",
    form: () => ({ url: "https://shop.example/mine", wantsOrders: "on" }),
  },
  {
    route: "/dashboard/api",
    intent: "choose-events",
    form: (theirs) => ({ ...ofId("webhookEndpoints")(theirs), wantsOrders: "on" }),
  },
  { route: "/dashboard/api", intent: "rotate-secret", form: ofId("webhookEndpoints") },
  { route: "/dashboard/api", intent: "enable-webhook", form: ofId("webhookEndpoints") },
  { route: "/dashboard/api", intent: "resend", form: ofId("webhookDeliveries"), survives: ASKED },
  { route: "/dashboard/api", intent: "test-webhook", form: ofId("webhookEndpoints"), survives: ASKED },
  { route: "/dashboard/api", intent: "delete-webhook", form: ofId("webhookEndpoints"), survives: TAKES_AWAY },
  { route: "/docs/api" },
  { route: "/dashboard/transactions", intent: "low-balance", form: () => ({ below: "3" }), survives: ASKED },
  {
    route: "/dashboard/orders/:id",
    intent: "cancel",
    params: (_, prepared) => ({ id: prepared("canceled") }),
    survives: ASKED,
  },
  {
    route: "/dashboard/orders/:id",
    intent: "refill",
    params: (_, prepared) => ({ id: prepared("refilled") }),
    survives: ASKED,
  },
  {
    route: "/api/v2",
    byKey: true,
    form: (_, prepared) => ({ action: "cancel", orders: prepared("canceledByKey") }),
    survives: "No session takes part",
    // The panel API answers each order by itself.
    refused: 200,
  },
  {
    route: "/dashboard",
    intent: "order",
    form: (theirs) => ({ ...order(theirs, "web"), shownPrice: "900000 per 1000" }),
    survives: ASKED,
  },
  {
    route: "/dashboard/orders/mass",
    intent: "place",
    query: `?draft=${DRAFT}`,
    form: (theirs) => ({
      lines: Object.values(order(theirs, "mass")).join("|"),
      // At $0.90 per 1,000.
      charge: "900000",
    }),
    survives: ASKED,
  },
  { route: "/dashboard/top-up", intent: "code", form: () => ({ code: "GIFT-CODE" }), survives: ASKED },
  { route: "/dashboard/top-up", intent: "card", form: () => ({ amount: "20" }), survives: ASKED },
  {
    route: "/dashboard/services/seen",
    form: (theirs) => ({ seen: `${theirs("favorites", "service_id")}:999` }),
    survives: ASKED,
  },
  {
    route: "/dashboard/services/:id",
    params: (theirs) => ({ id: theirs("favorites", "service_id") }),
    form: () => ({ wanted: "false" }),
    survives: ASKED,
  },
  { route: "/dashboard/account", intent: "name", form: () => ({ fullName: "Somebody" }), survives: ASKED },
  {
    route: "/dashboard/account",
    intent: "end-session",
    form: ofId("authSessions"),
    survives: TAKES_AWAY,
  },
  { route: "/dashboard/account", intent: "end-others", survives: TAKES_AWAY },
  { route: "/upload", intent: "delete", form: ofId("uploads"), survives: ASKED },
  { route: "/upload", intent: "abort", form: (_, prepared) => ({ id: prepared("unfinished") }), survives: ASKED },
  { route: "/upload/parts/:id", method: "DELETE", params: ofId("pendingUploads"), survives: ASKED },
  {
    route: "/upload/parts",
    json: () => ({ name: "mine.csv", size: 10, fingerprint: "mine" }),
    survives: ASKED,
  },
  { route: "/gmail-sync", intent: "auto-sync", form: () => ({ on: "0" }), survives: ASKED },
  { route: "/support/sessions/:id/rating", params: ofRoom, json: () => ({ rating: "bad" }), survives: ASKED },
  {
    route: "/support/sessions/:id/messages",
    params: ofRoom,
    json: () => ({ clientId: "mine", body: "Hello" }),
    survives: ASKED,
  },
  { route: "/account/two-step", intent: "new-codes" },
  {
    route: "/auth/v1/passkeys/:id",
    method: "PATCH",
    params: ofId("passkeys"),
    json: () => ({ friendly_name: "Renamed" }),
  },
  {
    route: "/account/two-step",
    intent: "change-passkey",
    form: (theirs) => ({ ...ofId("passkeys")(theirs), name: "Mine" }),
  },
  { route: "/account/two-step", intent: "remove-totp" },
  { route: "/account/two-step", intent: "start-totp" },
  { route: "/account/two-step", intent: "cancel-totp", survives: TAKES_AWAY },
  { route: "/account/two-step", intent: "remove-passkey", form: ofId("passkeys") },
  { route: "/auth/v1/user", method: "PUT", json: () => ({ data: { full_name: "By token" } }), survives: ASKED },
];

/**
 * Why a route or an intent isn't tried here, and the test that tries it: its file, which names the route, or else `by`. A
 * structure test looks for both.
 */
export type Elsewhere = { why: string; test: string; by?: string };

const SIGNS_IN = "names no row: it signs in or up the person who proves who they are";
const PROVES = "proves who the session's own user is";
const BY_LINK = "the token of an emailed link names the row";
const BY_CEREMONY = "a passkey signs each request";
const READS = "reads only";
const OWN_ROOM = "takes the caller's own conversation only";

const PASSKEYS_V1 = "app/routes/auth/v1/passkeys-v1.test.ts";
const PANEL_API = "app/routes/api/panel-api.test.ts";
const GMAIL_FUNCTIONS = "app/routes/gmail/functions.test.ts";
const SUPPORT_ACCESS = "workers/support/support-access.test.ts";

/** Routes that are not tried here. */
export const TRIED_ELSEWHERE: Record<string, Elsewhere> = {
  "/auth/login": { why: SIGNS_IN, test: "app/routes/auth/login.test.ts" },
  "/auth/second-step": { why: SIGNS_IN, test: "app/accounts/sign-in/second-step.server.test.ts" },
  "/auth/signup": { why: SIGNS_IN, test: "tests/e2e/accounts/sign-up.spec.ts" },
  "/auth/v1/token": { why: SIGNS_IN, test: "app/routes/auth/v1/auth-v1.test.ts" },
  "/auth/v1/signup": { why: SIGNS_IN, test: "app/accounts/email-address/sign-up-verification.test.ts" },
  "/auth/v1/recover": {
    why: "emails a link to the address that it names",
    test: "app/accounts/recovery/password-reset.server.test.ts",
    by: "requestReset(",
  },
  "/auth/passkey-options": { why: "makes a challenge for the caller", test: PASSKEYS_V1, by: "registrationOptions(" },
  "/auth/verify": { why: PROVES, test: "app/accounts/step-up/recent-proof.server.test.ts" },
  "/auth/proof": {
    why: PROVES,
    test: "app/accounts/step-up/verify-form.server.test.ts",
    by: "submitVerifyForm(",
  },
  "/logout": {
    why: "ends the session that its cookie names",
    test: "app/accounts/session/auth-sessions.server.test.ts",
  },
  "/auth/v1/logout": {
    why: "ends the session that its token names, and others of its user",
    test: "tests/attacks/factors/log-out-of-others.test.ts",
  },
  "/auth/v1/passkeys/registration/options": {
    why: BY_CEREMONY,
    test: PASSKEYS_V1,
    by: "passkeys/registration/options",
  },
  "/auth/v1/passkeys/registration/verify": { why: BY_CEREMONY, test: PASSKEYS_V1, by: "passkeys/registration/verify" },
  "/auth/v1/passkeys/authentication/options": {
    why: "makes a challenge for the caller",
    test: "app/accounts/factors/passkeys.server.test.ts",
    by: "passkeyOptions(",
  },
  "/auth/v1/passkeys/authentication/verify": { why: BY_CEREMONY, test: PASSKEYS_V1 },
  "/reset-password": { why: BY_LINK, test: "app/accounts/recovery/password-reset.server.test.ts" },
  "/account/not-me": { why: BY_LINK, test: "tests/attacks/new-device-link.test.ts" },
  "/account/undo-email-change": { why: BY_LINK, test: "tests/attacks/email-change-undo.test.ts" },
  "/account/verify-email": { why: BY_LINK, test: "app/accounts/email-address/email-verification.server.test.ts" },
  "/account/email": { why: BY_LINK, test: "tests/attacks/emails/email-change-by-a-stranger.test.ts" },
  "/account/delete": {
    why: "takes the password and names no id",
    test: "tests/attacks/factors/password-alone.test.ts",
  },
  "/api/docs": { why: "refuses forms", test: "app/routes/methods.test.ts" },
  "/api/v1/create_order": { why: "names no row", test: "app/routes/api/orders-v1.test.ts" },
  "/api/order": { why: "the same as /api/v2", test: PANEL_API },
  "/api/services": { why: READS, test: PANEL_API },
  "/api/balance": { why: READS, test: PANEL_API },
  "/api/status": { why: READS, test: PANEL_API },
  "/dashboard/orders/mass/check": { why: READS, test: "tests/attacks/money/costs-to-customers.test.ts" },
  "/dashboard/percent-code": { why: READS, test: "app/orders/percent-code-orders.test.ts" },
  "/functions/gmail-oauth-auth": { why: "names no row", test: GMAIL_FUNCTIONS, by: "call(env, connect" },
  "/functions/gmail-sync": { why: "refuses another user's id", test: GMAIL_FUNCTIONS, by: "call(env, sync" },
  "/stripe/webhook": { why: "is signed by Stripe", test: "app/routes/api/stripe-webhook.test.ts" },
  "/email/webhook": { why: "is signed by the email service", test: "app/email/suppressions.server.test.ts" },
  "/announcements/dismiss": { why: "sets a cookie", test: "workers/announcements.test.ts" },
  "/push/subscriptions": { why: "the keys of a browser name the row", test: "app/push/subscriptions.server.test.ts" },
  "/support/session": { why: "starts the caller's own conversation", test: SUPPORT_ACCESS },
  "/support/sessions/:id/read": { why: OWN_ROOM, test: SUPPORT_ACCESS },
  "/support/sessions/:id/files": { why: OWN_ROOM, test: "workers/support/room-files.test.ts" },
  "/support/sessions/:id/transcript": { why: OWN_ROOM, test: "tests/attacks/transcripts-to-strangers.test.ts" },
  "/support/sessions/:id/email": { why: "visitors without an account only", test: SUPPORT_ACCESS },
};

/** Intents that are not tried here, of routes that are. */
export const INTENTS_TRIED_ELSEWHERE: Record<string, Elsewhere> = {
  passkey: { why: BY_CEREMONY, test: "app/accounts/factors/factors-form.server.test.ts" },
  "confirm-totp": {
    why: "takes a code of the app, and names no id",
    test: "app/accounts/factors/totp.server.test.ts",
    by: "confirmTotp(",
  },
  "open-setup-link": { why: BY_LINK, test: "tests/attacks/held-staff-session.test.ts" },
  email: {
    why: "takes the password, and names no id",
    test: "app/accounts/email-address/email-change.server.test.ts",
    by: "requestEmailChange(",
  },
  password: {
    why: "takes the password, and names no id",
    test: "app/accounts/other-accounts.test.ts",
    by: "changePassword(",
  },
  disconnect: { why: "names no id, and asks Google", test: GMAIL_FUNCTIONS },
  sync: { why: "names no id, and asks Google", test: GMAIL_FUNCTIONS },
  file: {
    why: "stores a new file, and names no id",
    test: "tests/attacks/upload-limits-in-parallel.test.ts",
    by: "storeFile(",
  },
  check: { why: READS, test: "tests/attacks/money/costs-to-customers.test.ts" },
};
