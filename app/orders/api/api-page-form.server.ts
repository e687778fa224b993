import type { AppLoadContext } from "@remix-run/cloudflare";
import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { formText } from "#app/http/requests/read-form.ts";
import { resendDelivery, testEndpoint } from "#app/orders/webhooks/resend-and-test.server.ts";
import {
  createEndpoint,
  deleteEndpoint,
  type EndpointRefusal,
  enableEndpoint,
  listEndpoints,
  rotateSecret,
} from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { type ApiKeyScope, createApiKey, listApiKeys, revokeApiKey, rotateApiKey } from "./api-keys.server.ts";

/** `key` and `webhook` carry a new secret, which is shown once. */
export type ApiPageResult = FormResult & {
  key?: { id: string; name: string; key: string };
  webhook?: { secret: string; url: string; renewed: boolean };
};

const MAX_KEY_NAME_CHARACTERS = 60;
/** Keeps the list on one page. */
const MAX_KEYS = 50;

/** Handles the forms of the API page. */
export async function submitApiForm(
  context: AppLoadContext,
  userId: string,
  form: FormData,
): Promise<FormOutcome<ApiPageResult> | "unknown_form" | "not_found"> {
  const { db, env } = context;
  const id = formText(form, "id");
  const intent = formText(form, "intent");
  const done = (more: Partial<ApiPageResult> = {}) => shown(200, { intent, ok: true, ...more });
  switch (intent) {
    case "create-key":
      return createKey(context, userId, form);
    case "rotate-key": {
      const name = (await listApiKeys(db, userId)).find((key) => key.id === id)?.name ?? "";
      const created = await rotateApiKey(db, userId, id);
      return created ? done({ key: { ...created, name } }) : "not_found";
    }
    case "revoke-key":
      return (await revokeApiKey(db, env, userId, id)) ? done({ message: "Key revoked" }) : "not_found";
    case "create-webhook": {
      const url = formText(form, "url");
      const created = await createEndpoint(db, env, userId, url);
      if (created.ok) return done({ webhook: { secret: created.secret, url, renewed: false } });
      return shown(400, { intent, ok: false, fieldErrors: { url: ENDPOINT_ERRORS[created.reason] }, values: { url } });
    }
    case "rotate-secret": {
      const secret = await rotateSecret(db, env, userId, id);
      if (secret === null) return "not_found";
      const url = (await listEndpoints(db, userId)).find((endpoint) => endpoint.id === id)?.url ?? "";
      return done({ webhook: { secret, url, renewed: true } });
    }
    case "delete-webhook":
      return (await deleteEndpoint(db, userId, id)) ? done() : "not_found";
    case "test-webhook": {
      const test = await testEndpoint(db, env, userId, id);
      if (test === null) return "not_found";
      if (!test.ok) {
        const minutes = Math.ceil(test.retryAfterSeconds / 60);
        const message = `Too many test events. Try again in ${minutes === 1 ? "a minute" : `${minutes} minutes`}.`;
        return shown(429, { intent, ok: false, message });
      }
      if (test.error !== null) return shown(200, { intent, ok: false, message: `Test failed: ${test.error}.` });
      return done({ message: `Test delivered: your endpoint returned ${test.status}.` });
    }
    case "enable-webhook":
      return (await enableEndpoint(db, userId, id)) ? done() : "not_found";
    case "resend": {
      const resent = await resendDelivery(db, env, userId, parseId(id) ?? 0);
      if (resent.ok) return done();
      if (resent.reason === "not_found") return "not_found";
      return shown(409, { intent, ok: false, message: "This webhook is off. Turn it on, then resend." });
    }
    default:
      return "unknown_form";
  }
}

const ENDPOINT_ERRORS: Record<EndpointRefusal, string> = {
  bad_url: "Enter a public https URL, like https://example.com/hooks",
  too_many: "You can have five webhooks. Remove one first",
};

async function createKey({ db }: AppLoadContext, userId: string, form: FormData): Promise<FormOutcome<ApiPageResult>> {
  const intent = "create-key";
  // Control characters are invisible: two names that look the same must be the same.
  const name = formText(form, "name")
    .replaceAll(/\p{Cc}/gu, "")
    .trim();
  const may = formText(form, "may");
  const refuse = (error: string) =>
    shown(400, { intent, ok: false, fieldErrors: { name: error }, values: { name, may } });
  if (name === "") return refuse("Enter a name");
  if (name.length > MAX_KEY_NAME_CHARACTERS) return refuse(`Use at most ${MAX_KEY_NAME_CHARACTERS} characters`);
  if ((await listApiKeys(db, userId)).length >= MAX_KEYS) {
    return refuse(`You can have ${MAX_KEYS} keys. Revoke one first`);
  }
  const scopes: ApiKeyScope[] = may === "read" ? ["read"] : ["read", "order"];
  const { id, key } = await createApiKey(db, userId, { name, scopes, isTest: may === "test" });
  return shown(200, { intent, ok: true, key: { id, name, key } });
}

function shown(status: number, result: ApiPageResult): FormOutcome<ApiPageResult> {
  return { kind: "shown", status, result };
}
