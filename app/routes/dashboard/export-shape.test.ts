import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { auditLog, users } from "#app/db/schema.server.ts";
import { db } from "#tests/workerd/customer.ts";
import { fillPerson } from "#tests/workerd/personal-rows.ts";
import { sessionCookie } from "#tests/workerd/signed-in-account.ts";
import { loadContext } from "#tests/workerd/test-context.ts";
import { loader } from "./account-export.ts";

/**
 * "Export my data", field by field. Export and its other tests take names and kinds from the columns, so that a renamed column
 * changes all of them: here it fails. A changed line is a changed promise to customers, and joins docs/personal-data.md.
 */
const DOCUMENTED = {
  exportedAt: "time",
  account:
    "id text, email text, fullName text, role text, createdAt time, emailConfirmedAt time, legacyPasswordMigrated flag",
  sessions: [
    "userAgent text, createdAt time, lastUsedAt time, expiresAt time, revokedAt time, verifiedAt time, secondFactorAt time",
  ],
  emailChanges: ["oldEmail text, createdAt time, undoUntil time, undoneAt time"],
  pendingEmailChanges: ["newEmail text, expiresAt time"],
  passkeys: ["name text, deviceType text, backedUp flag, isSecondFactor flag, createdAt time, lastUsedAt time"],
  authenticatorApp: ["createdAt time, confirmedAt time"],
  recoveryCodes: ["createdAt time, usedAt time"],
  knownDevices: ["firstSeenAt time, lastSeenAt time"],
  securityEvents: ["kind text, createdAt time, device text, network text, detail {reason text}"],
  currency: "text",
  balance: "amount",
  owed: "amount",
  lowBalanceThreshold: "amount",
  tier: "text",
  ledger: ["id number, order number, kind text, amount amount, balanceAfter amount, note text, createdAt time"],
  spending: ["day day, spent amount, added amount, orders number, balance amount, refunds number, refunded amount"],
  redeemedCodes: ["amount amount, createdAt time"],
  usedDiscountCodes: ["order number, createdAt time"],
  teamNotes: ["body text, createdAt time"],
  payments: [
    "id text, amount amount, paid amount, received amount, receivedCurrency text, reversed amount, status text, createdAt time",
  ],
  cardRefundsAndDisputes: ["payment text, kind text, amount amount, currency text, status text, createdAt time"],
  orders: [
    // `comments` is one of the fields that a type of order has.
    "comments text, id number, service number, type text, link text, quantity number, runs number, intervalMinutes number, " +
      "charge amount, priceRule {name text}, discount amount, refunded amount, status text, startCount number, remains number, " +
      "source text, isTest flag, expectedBy time, refillDays number, refillUntil time, reference text, metadata {reason text}, " +
      "idempotencyKey text, createdAt time",
  ],
  massOrders: ["id number, source text, placed number, skipped number, charge amount, createdAt time"],
  refills: ["id number, order number, status text, createdAt time"],
  cancellations: ["order number, status text, createdAt time"],
  favorites: ["service number, createdAt time"],
  apiKeys: [
    "name text, prefix text, canRead flag, canOrder flag, isTest flag, createdAt time, lastUsedAt time, expiresAt time, " +
      "replacedAt time, revokedAt time, addresses [text], dailyCap amount, spent amount, spentDay day, " +
      "networks [{network text, firstUsedAt time}]",
  ],
  webhooks: ["url text, wantsOrders flag, wantsCatalog flag, createdAt time"],
  staffActions: [
    // `detail` has what the action was about: amounts and times as everywhere here.
    "action text, subjectType text, order number, createdAt time, detail {amount amount, refillUntil [time], reason text}",
  ],
  support:
    "name text, email text, status text, browserLanguage nothing, pagesSeen [], " +
    "messages [{sender text, senderName text, message text, createdAt time}], ratings [{rating text, ratedAt time}]",
  gmail:
    "connections [{emailAddress text, scope text, createdAt time}], " +
    "status {lastSyncAt time, totalMessages number, autoSync flag, lastError text, historyId text, nextSyncAt time}, " +
    "messages [{id text, from text, fromName text, subject text, snippet text, date time}]",
  uploads: ["name text, contentType text, size number, createdAt time, complete flag"],
  emails:
    "recent [{recipient text, kind text, status text, createdAt time, finishedAt time}], " +
    "suppressed [{reason text, createdAt time, liftedAt time}]",
  notifiedDevices: ["kind text, service text, createdAt time, seenAt time"],
  savedFilters: ["name text, view text, tag text, words text, createdAt time"],
};

test("exports an account under the documented names, each value as the kind that is documented", async () => {
  const { userId, rows } = await fillPerson();
  await db.update(users).set({ suspendedAt: null }).where(eq(users.id, userId));
  const subjectId = String(rows.get("orders")?.row.id);
  await db.insert(auditLog).values({
    ...{ actorId: "a", actorName: "Ada", action: "order.refund", subjectType: "order" as const, subjectId },
    ...{ detail: { amount: 1 }, createdAt: 1 },
  });
  const request = new Request("https://growline.example/dashboard/account/export", {
    headers: { Cookie: await sessionCookie(userId) },
  });
  const exported = await (await loader({ request, context: loadContext(), params: {} })).json<
    Record<string, unknown>
  >();
  const shapes = Object.entries(exported).map(([part, value]) => {
    const shape = shapeOf(value);
    return [part, Array.isArray(value) ? [inner(inner(shape))] : typeof value === "object" ? inner(shape) : shape];
  });
  expect(Object.fromEntries(shapes)).toEqual(DOCUMENTED);
});

/** Returns "id number, createdAt time" of `{id number, createdAt time}`. */
function inner(shape: string): string {
  return shape.slice(1, -1);
}

/** Writes the kinds of a value and of those in it. A list has those of all its rows. */
function shapeOf(...values: unknown[]): string {
  const known = values.filter((value) => value !== null);
  const [value] = known;
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${shapeOf(...known.flat())}]`;
  if (typeof value === "object") {
    const names = new Set(known.flatMap((one) => Object.keys(one as object)));
    const fields = [...names].map((name) => {
      const ofName = known.flatMap((one) => (Object.hasOwn(one as object, name) ? [(one as never)[name]] : []));
      return `${name} ${shapeOf(...ofName)}`;
    });
    return `{${fields.join(", ")}}`;
  }
  if (typeof value === "string") return kindOfText(value);
  return value === undefined ? "nothing" : typeof value === "boolean" ? "flag" : typeof value;
}

function kindOfText(text: string): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return "time";
  // The days that the rows are filled with go past the year 9999.
  if (/^(\d{4}-\d\d|\+\d{6})-\d\d$/.test(text)) return "day";
  return /^-?\d+\.\d{2,6}$/.test(text) ? "amount" : "text";
}
