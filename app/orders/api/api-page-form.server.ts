import type { AppLoadContext } from "@remix-run/cloudflare";
import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import type { SessionOwner } from "#app/db/open-session.server.ts";
import { CONFIRM_EMAIL_FIRST } from "#app/email/confirmed-email.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { formText, parseForm } from "#app/http/requests/read-form.ts";
import { SESSION_ENDED } from "#app/http/responses/session-ended.ts";
import type { EndpointWants } from "#app/orders/webhooks/endpoint-wants.ts";
import { resendDelivery, testEndpoint } from "#app/orders/webhooks/resend-and-test.server.ts";
import {
  chooseEvents,
  createEndpoint,
  deleteEndpoint,
  type EndpointRefusal,
  enableEndpoint,
  listEndpoints,
  rotateSecret,
} from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { type ApiKeyResult, type RecordChange, submitApiKeyForm } from "./api-key-form.server.ts";

/** `key` and `webhook` carry a new secret, which is shown once. */
export type ApiPageResult = ApiKeyResult & {
  webhook?: { secret: string; url: string; renewed: boolean };
};

const checkbox = z
  .string()
  .optional()
  .transform((value) => value !== undefined);
const wantsFields = { wantsOrders: checkbox, wantsCatalog: checkbox };
const wantsAny = ({ wantsOrders, wantsCatalog }: EndpointWants) => wantsOrders || wantsCatalog;
const CHOOSE_EVENTS = "Choose at least one kind of event";
const wantsInput = z.object(wantsFields).refine(wantsAny, CHOOSE_EVENTS);
const createInput = z.object({ url: z.string().trim().default(""), ...wantsFields }).refine(wantsAny, CHOOSE_EVENTS);

/** Handles the forms of the API page. */
export async function submitApiForm(
  context: AppLoadContext,
  owner: SessionOwner,
  form: FormData,
  record: RecordChange,
): Promise<FormOutcome<ApiPageResult> | "unknown_form" | "not_found"> {
  const { userId } = owner;
  const ofKey = await submitApiKeyForm(context, owner, form, record);
  if (ofKey) return ofKey;
  const { db, env } = context;
  const id = formText(form, "id");
  const intent = formText(form, "intent");
  const done = (more: Partial<ApiPageResult> = {}) => shown(200, { intent, ok: true, ...more });
  switch (intent) {
    case "create-webhook": {
      const parsed = parseForm(form, createInput);
      if (!parsed.ok) return shown(400, parsed.result);
      const { url, ...wants } = parsed.input;
      const created = await createEndpoint(db, env, owner, url, wants);
      if (created.ok) {
        record("webhook_added", { url });
        return done({ webhook: { secret: created.secret, url, renewed: false } });
      }
      return shown(400, parsed.refuse({ fieldErrors: { url: ENDPOINT_ERRORS[created.reason] } }));
    }
    case "choose-events": {
      const parsed = parseForm(form, wantsInput);
      if (!parsed.ok) return shown(400, parsed.result);
      const url = await chooseEvents(db, env, owner, { id, wants: parsed.input });
      if (url === null) return "not_found";
      record("webhook_changed", { url, change: "events" });
      // With the values, because the list is read anew only after this result is shown.
      return done({ message: "Events saved", values: checkedOf(parsed.input) });
    }
    case "rotate-secret": {
      const secret = await rotateSecret(db, env, owner, id);
      if (secret === null) return "not_found";
      const url = (await listEndpoints(db, userId)).find((endpoint) => endpoint.id === id)?.url ?? "";
      record("webhook_changed", { url, change: "new_secret" });
      return done({ webhook: { secret, url, renewed: true } });
    }
    case "delete-webhook": {
      const url = (await listEndpoints(db, userId)).find((endpoint) => endpoint.id === id)?.url ?? "";
      if (!(await deleteEndpoint(db, userId, id))) return "not_found";
      record("webhook_removed", { url });
      return done();
    }
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
    case "enable-webhook": {
      const url = await enableEndpoint(db, owner, id);
      if (url === null) return "not_found";
      record("webhook_changed", { url, change: "turned_on" });
      return done();
    }
    case "resend": {
      const resent = await resendDelivery(db, env, userId, parseId(id) ?? 0);
      if (resent.ok) return done();
      if (resent.reason === "not_found") return "not_found";
      return shown(409, { intent, ok: false, message: RESEND_ERRORS[resent.reason] });
    }
    default:
      return "unknown_form";
  }
}

/** Returns the wants as a form sends them. */
function checkedOf(wants: EndpointWants): Record<string, string> {
  return Object.fromEntries(Object.entries(wants).flatMap(([name, isWanted]) => (isWanted ? [[name, "on"]] : [])));
}

const RESEND_ERRORS = {
  endpoint_off: "This webhook is off. Turn it on, then resend.",
  unwanted: "This webhook doesn't get this event. Change its events, then resend.",
};

const ENDPOINT_ERRORS: Record<EndpointRefusal, string> = {
  bad_url: "Enter a public https URL, like https://example.com/hooks",
  too_many: "You can have five webhooks. Remove one first",
  email_unconfirmed: CONFIRM_EMAIL_FIRST,
  session_ended: SESSION_ENDED,
};

function shown(status: number, result: ApiPageResult): FormOutcome<ApiPageResult> {
  return { kind: "shown", status, result };
}
