import type { TableName } from "#tests/workerd/personal-rows.ts";

/** Returns a value of the attacked customer's row. */
export type Theirs = (table: TableName, column?: string) => string;
/** Orders of the attacked customer that can still be canceled, or refilled, once each. */
export type PlacedOrder = "canceled" | "canceledByKey" | "refilled";
type TheirOrder = (name: PlacedOrder) => string;
type FromRows<T> = (theirs: Theirs, theirOrder: TheirOrder) => T;

/**
 * A request by which a customer changes something of their own. `survives` says why it may still take effect although its
 * session ended after the request was let in; without it, it may not.
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
    params: (_, theirOrder) => ({ id: theirOrder("canceled") }),
    survives: ASKED,
  },
  {
    route: "/dashboard/orders/:id",
    intent: "refill",
    params: (_, theirOrder) => ({ id: theirOrder("refilled") }),
    survives: ASKED,
  },
  {
    route: "/api/v2",
    byKey: true,
    form: (_, theirOrder) => ({ action: "cancel", orders: theirOrder("canceledByKey") }),
    survives: "No session takes part",
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

const SIGNS_IN = "names no row: it signs in or up the person who proves who they are";
const BY_LINK = "the token of an emailed link names the row";
const BY_CEREMONY = "tests/attacks/factors and passkeys.server.test.ts: a passkey signs each request";
const READS = "reads only";

/** Routes that are not tried here. Each says where they are tried, or why no row has an owner. */
export const TRIED_ELSEWHERE: Record<string, string> = {
  "/auth/login": SIGNS_IN,
  "/auth/second-step": SIGNS_IN,
  "/auth/signup": SIGNS_IN,
  "/auth/v1/token": SIGNS_IN,
  "/auth/v1/signup": SIGNS_IN,
  "/auth/v1/recover": SIGNS_IN,
  "/auth/passkey-options": SIGNS_IN,
  "/auth/verify": "proves who the session's own user is",
  "/auth/proof": "proves who the session's own user is",
  "/logout": "ends the session that its cookie names",
  "/auth/v1/logout": "ends the session that its token names, and others of its user: other-accounts.test.ts",
  "/auth/v1/passkeys/registration/options": BY_CEREMONY,
  "/auth/v1/passkeys/registration/verify": BY_CEREMONY,
  "/auth/v1/passkeys/authentication/options": BY_CEREMONY,
  "/auth/v1/passkeys/authentication/verify": BY_CEREMONY,
  "/reset-password": BY_LINK,
  "/account/not-me": BY_LINK,
  "/account/undo-email-change": BY_LINK,
  "/account/verify-email": BY_LINK,
  "/account/email": BY_LINK,
  "/account/delete": "takes the password and names no id: start-deletion.server.test.ts",
  "/api/docs": "refuses forms",
  "/api/v1/create_order": "names no row: orders-v1.test.ts",
  "/api/order": "the same as /api/v2",
  "/api/services": READS,
  "/api/balance": READS,
  "/api/status": READS,
  "/dashboard/orders/mass/check": READS,
  "/dashboard/percent-code": READS,
  "/functions/gmail-oauth-auth": "names no row: gmail-functions.test.ts",
  "/functions/gmail-sync": "names no row: gmail-functions.test.ts",
  "/stripe/webhook": "is signed by Stripe",
  "/email/webhook": "is signed by the email service",
  "/announcements/dismiss": "sets a cookie",
  "/push/subscriptions": "subscriptions.server.test.ts: the keys of a browser name the row",
  "/support/session": "starts the caller's own conversation",
  "/support/sessions/:id/read": "asks at the same door as messages",
  "/support/sessions/:id/files": "asks at the same door as messages",
  "/support/sessions/:id/transcript": "asks at the same door as messages",
  "/support/sessions/:id/email": "visitors without an account only",
};

/** Intents that are not tried here, of routes that are. Each says where they are tried, or why no row has an owner. */
export const INTENTS_TRIED_ELSEWHERE: Record<string, string> = {
  passkey: BY_CEREMONY,
  "confirm-totp": "takes a code of the app, and names no id: totp.server.test.ts",
  email: "takes the password, and names no id: email-change.server.test.ts",
  password: "takes the password, and names no id: other-accounts.test.ts",
  disconnect: "names no id, and asks Google: mailbox.server.test.ts",
  sync: "names no id, and asks Google: gmail-functions.test.ts",
  file: "stores a new file, and names no id",
  abort: "the same as DELETE /upload/parts/:id",
  check: READS,
};
