import type { AppLoadContext } from "@remix-run/cloudflare";
import { z } from "zod";
import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import type { SessionOwner } from "#app/db/open-session.server.ts";
import type { EventDetail, SecurityEventKind } from "#app/db/schema.server.ts";
import { CONFIRM_EMAIL_FIRST } from "#app/email/confirmed-email.server.ts";
import { cleanName } from "#app/http/clean-text.ts";
import { formText, parseForm } from "#app/http/requests/read-form.ts";
import { SESSION_ENDED } from "#app/http/responses/session-ended.ts";
import { parseDecimal } from "#app/orders/rules/money-text.ts";
import { DAY_MS } from "#app/time.ts";
import { parseRanges } from "./address-ranges.server.ts";
import {
  type ApiKeyScope,
  createApiKey,
  type KeyLimits,
  limitApiKey,
  listApiKeys,
  MAX_KEYS,
  revokeApiKey,
  rotateApiKey,
} from "./api-keys.server.ts";

/** `key` is a new one, which is shown once. */
export type ApiKeyResult = FormResult & { key?: { id: string; name: string; key: string } };

const MAX_KEY_NAME_CHARACTERS = 60;
const MAX_ADDRESSES_CHARACTERS = 2000;

const limitFields = {
  expires: z.enum(["never", "keep", "date", "30", "90", "365"], "Choose when the key expires").default("never"),
  // The last day on which the key works, in UTC.
  lastDay: z
    .union([z.literal(""), z.iso.date("Enter a date")])
    .default("")
    .transform((day) => (day === "" ? null : Date.parse(day) + DAY_MS)),
  addresses: z
    .string()
    .max(MAX_ADDRESSES_CHARACTERS, "This list is too long")
    .default("")
    .transform((text, context) => {
      const parsed = parseRanges(text);
      if (parsed.ok) return parsed.ranges;
      context.addIssue(parsed.error);
      return z.NEVER;
    }),
  dailyCap: z
    .string()
    .default("")
    .transform((text) => (text.trim() === "" ? null : (parseDecimal(text) ?? Number.NaN)))
    .pipe(z.number("Enter an amount like 12.50").positive("Enter an amount above 0").nullable()),
};

const createInput = z.object({
  name: z
    .string()
    .default("")
    .transform(cleanName)
    .pipe(
      z
        .string()
        .min(1, "Enter a name")
        .max(MAX_KEY_NAME_CHARACTERS, `Use at most ${MAX_KEY_NAME_CHARACTERS} characters`),
    ),
  may: z.string().default("order"),
  ...limitFields,
});
const limitInput = z.object(limitFields);

/** Records a change in the account's activity list. `detail`: short words for its owner. */
export type RecordChange = (kind: SecurityEventKind, detail: EventDetail) => void;

/** Handles the forms for API keys. Returns null for another intent. */
export async function submitApiKeyForm(
  context: AppLoadContext,
  owner: SessionOwner,
  form: FormData,
  record: RecordChange,
): Promise<FormOutcome<ApiKeyResult> | "not_found" | null> {
  const { db, env } = context;
  const { userId } = owner;
  const id = formText(form, "id");
  const intent = formText(form, "intent");
  switch (intent) {
    case "create-key":
      return createKey(context, owner, form, record);
    case "limit-key":
      return limitKey(context, owner, id, form, record);
    case "rotate-key": {
      const rotated = await rotateApiKey(db, env, owner, id);
      if (!rotated.ok && rotated.reason === "not_found") return "not_found";
      if (!rotated.ok) return shown(400, { intent, ok: false, message: "Too many replaced keys. Revoke one first" });
      const { name, key } = rotated;
      record("api_key_changed", { key: name, change: "replaced" });
      return shown(200, { intent, ok: true, key: { id: rotated.id, name, key } });
    }
    case "revoke-key": {
      const key = (await listApiKeys(db, userId)).find((one) => one.id === id);
      if (!(await revokeApiKey(db, env, userId, id))) return "not_found";
      record("api_key_revoked", { key: key?.name ?? "" });
      return shown(200, { intent, ok: true, message: "Key revoked" });
    }
    default:
      return null;
  }
}

async function createKey(
  { db, env }: AppLoadContext,
  { userId, sessionId }: SessionOwner,
  form: FormData,
  record: RecordChange,
): Promise<FormOutcome<ApiKeyResult>> {
  const parsed = parseForm(form, createInput);
  if (!parsed.ok) return shown(400, parsed.result);
  const { name, may } = parsed.input;
  const limits = limitsOf(parsed.input, null);
  if (!limits.ok) return shown(400, parsed.refuse({ fieldErrors: limits.fieldErrors }));
  const scopes: ApiKeyScope[] = may === "read" ? ["read"] : ["read", "order"];
  const created = await createApiKey(db, env, userId, {
    name,
    scopes,
    isTest: may === "test",
    limits: limits.limits,
    sessionId,
  });
  if (created.ok) {
    record("api_key_created", { key: name });
    return shown(200, { intent: "create-key", ok: true, key: { id: created.id, name, key: created.key } });
  }
  switch (created.reason) {
    case "email_unconfirmed": {
      const message = `${CONFIRM_EMAIL_FIRST} Until then you can create test keys.`;
      return shown(403, parsed.refuse({ message }));
    }
    case "too_many":
      return shown(400, parsed.refuse({ fieldErrors: { name: `You can have ${MAX_KEYS} keys. Revoke one first` } }));
    case "session_ended":
      return shown(401, parsed.refuse({ message: SESSION_ENDED }));
    default:
      return created.reason satisfies never;
  }
}

async function limitKey(
  { db, env }: AppLoadContext,
  owner: SessionOwner,
  id: string,
  form: FormData,
  record: RecordChange,
): Promise<FormOutcome<ApiKeyResult> | "not_found"> {
  const parsed = parseForm(form, limitInput);
  if (!parsed.ok) return shown(400, parsed.result);
  const current = (await listApiKeys(db, owner.userId)).find((key) => key.id === id);
  if (!current) return "not_found";
  const limits = limitsOf(parsed.input, current.expiresAt);
  if (!limits.ok) return shown(400, parsed.refuse({ fieldErrors: limits.fieldErrors }));
  if (!(await limitApiKey(db, env, owner, id, limits.limits))) return "not_found";
  record("api_key_changed", { key: current.name, change: "limited" });
  return shown(200, { intent: "limit-key", ok: true, message: "Limits saved. They apply from the next request." });
}

type Limits = { ok: true; limits: KeyLimits } | { ok: false; fieldErrors: Record<string, string> };

/** `expiresAt` (ms) is when the key expires today, for the choice to keep that. */
function limitsOf(
  { expires, lastDay, addresses, dailyCap }: z.infer<typeof limitInput>,
  expiresAt: number | null,
): Limits {
  const limits = { addresses, dailyCap };
  switch (expires) {
    case "never":
      return { ok: true, limits: { ...limits, expiresAt: null } };
    case "keep":
      return { ok: true, limits: { ...limits, expiresAt } };
    case "date":
      if (lastDay === null) return { ok: false, fieldErrors: { lastDay: "Enter a date" } };
      if (lastDay <= Date.now()) return { ok: false, fieldErrors: { lastDay: "This date is in the past" } };
      return { ok: true, limits: { ...limits, expiresAt: lastDay } };
    case "30":
    case "90":
    case "365":
      return { ok: true, limits: { ...limits, expiresAt: Date.now() + Number(expires) * DAY_MS } };
    default:
      return expires satisfies never;
  }
}

function shown(status: number, result: ApiKeyResult): FormOutcome<ApiKeyResult> {
  return { kind: "shown", status, result };
}
