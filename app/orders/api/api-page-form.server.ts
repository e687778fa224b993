import type { AppLoadContext } from "@remix-run/cloudflare";
import { formText } from "#app/http/requests/read-form.ts";
import { testEndpoint } from "#app/orders/webhooks/send-webhooks.server.ts";
import {
  createEndpoint,
  deleteEndpoint,
  enableEndpoint,
  listEndpoints,
  resendDelivery,
  rotateSecret,
} from "#app/orders/webhooks/webhook-endpoints.server.ts";
import type { WebhookResult } from "#app/orders/webhooks/webhook-list.tsx";
import type { ApiKeyResult } from "./api-key-list.tsx";
import { type ApiKeyScope, createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from "./api-keys.server.ts";

type ApiPageResponse = { status: number; apiKey: ApiKeyResult; revoked: boolean; webhook: WebhookResult };

const MAX_KEY_NAME_CHARACTERS = 60;
/** Keeps the list on one page. */
const MAX_KEYS = 50;
const NOTHING = { apiKey: null, revoked: false, webhook: null };
const NOT_FOUND: ApiPageResponse = { ...NOTHING, status: 404 };

/** Handles the forms of the API page. Returns null for an intent that is not one of them. */
export async function submitApiForm(
  context: AppLoadContext,
  userId: string,
  form: FormData,
): Promise<ApiPageResponse | null> {
  const { db, env } = context;
  const id = formText(form, "id");
  switch (form.get("intent")) {
    case "create-key":
      return createKey(context, userId, form);
    case "rotate-key": {
      const name = (await listApiKeys(db, userId)).find((key) => key.id === id)?.name ?? "";
      const made = await rotateApiKey(db, userId, id);
      return made ? { ...NOTHING, status: 200, apiKey: { created: { ...made, name } } } : NOT_FOUND;
    }
    case "revoke-key":
      return (await revokeApiKey(db, env, userId, id)) ? { ...NOTHING, status: 200, revoked: true } : NOT_FOUND;
    case "create-webhook": {
      const url = formText(form, "url");
      const made = await createEndpoint(db, env, userId, url);
      if (made.ok) return { ...NOTHING, status: 200, webhook: { secret: made.secret, url, renewed: false } };
      const error =
        made.reason === "bad_url"
          ? "Enter a public https URL, like https://example.com/hooks"
          : "You can have five webhooks. Remove one first";
      return { ...NOTHING, status: 400, webhook: { error, typed: url } };
    }
    case "rotate-secret": {
      const secret = await rotateSecret(db, env, userId, id);
      if (secret === null) return NOT_FOUND;
      const url = (await listEndpoints(db, userId)).find((endpoint) => endpoint.id === id)?.url ?? "";
      return { ...NOTHING, status: 200, webhook: { secret, url, renewed: true } };
    }
    case "delete-webhook":
      return (await deleteEndpoint(db, userId, id)) ? { ...NOTHING, status: 200 } : NOT_FOUND;
    case "test-webhook": {
      const test = await testEndpoint(db, env, userId, id);
      if (test === null) return NOT_FOUND;
      if (!test.ok) {
        const minutes = Math.ceil(test.retryAfterSeconds / 60);
        const text = `Too many test events. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
        return { ...NOTHING, status: 429, webhook: { tested: true, delivered: false, text } };
      }
      const text =
        test.error === null ? `Test delivered: your endpoint returned ${test.status}.` : `Test failed: ${test.error}.`;
      return { ...NOTHING, status: 200, webhook: { tested: true, delivered: test.error === null, text } };
    }
    case "enable-webhook":
      return (await enableEndpoint(db, userId, id))
        ? { ...NOTHING, status: 200, webhook: { enabled: true } }
        : NOT_FOUND;
    case "resend":
      return (await resendDelivery(db, userId, id))
        ? { ...NOTHING, status: 200, webhook: { resent: true } }
        : NOT_FOUND;
    default:
      return null;
  }
}

async function createKey({ db }: AppLoadContext, userId: string, form: FormData): Promise<ApiPageResponse> {
  // Control characters are invisible: two names that look the same must be the same.
  const name = formText(form, "name")
    .replaceAll(/\p{Cc}/gu, "")
    .trim();
  if (name === "" || name.length > MAX_KEY_NAME_CHARACTERS) {
    const error = name === "" ? "Enter a name" : `Use at most ${MAX_KEY_NAME_CHARACTERS} characters`;
    return { ...NOTHING, status: 400, apiKey: { error } };
  }
  if ((await listApiKeys(db, userId)).length >= MAX_KEYS) {
    return { ...NOTHING, status: 400, apiKey: { error: `You can have ${MAX_KEYS} keys. Revoke one first` } };
  }
  const may = formText(form, "may");
  const scopes: ApiKeyScope[] = may === "read" ? ["read"] : ["read", "order"];
  const { id, key } = await createApiKey(db, userId, { name, scopes, isTest: may === "test" });
  return { ...NOTHING, status: 200, apiKey: { created: { id, name, key } } };
}
