import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { json } from "#app/http/responses/api-response.ts";
import { hasFcm } from "#app/push/fcm.server.ts";
import {
  limitChanges,
  listDigests,
  type Owner,
  parseDevice,
  parseSavedDevice,
  removeDevice,
  saveDevice,
} from "#app/push/subscriptions.server.ts";
import { vapidKeys } from "#app/push/vapid.server.ts";
import { ownSessionId, readCaller } from "#app/support/room/room-access.server.ts";

const REFUSAL_STATUS = { bad_device: 422, not_available: 404, not_yours: 404, session_ended: 401 } as const;

/** Returns the key that a browser subscribes with, null if web push is not set up, whether the apps get notifications, and the digests of the caller's devices. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const owner = await ownerOf({ request, context });
  const key = vapidKeys(context.env)[0]?.publicKey ?? null;
  return answer({ key, phones: hasFcm(context.env), devices: owner ? await listDigests(context.db, owner) : [] });
}

/** Saves a device of the caller, or removes it. */
export async function action({ request, context }: ActionFunctionArgs) {
  requireMethod(request, ["GET", "POST", "DELETE"]);
  const body = await readJsonBody(request);
  const owner = await ownerOf({ request, context });
  if (!owner) return answer({ error: "not_found" }, 404);
  const allowed = await limitChanges(context.db, owner);
  if (!allowed.ok) {
    return json(
      { error: "rate_limited" },
      { status: 429, headers: { "Retry-After": String(allowed.retryAfterSeconds) } },
    );
  }
  if (request.method === "DELETE") {
    const device = parseDevice(body);
    if (!device) return answer({ error: "bad_device" }, 422);
    await removeDevice(context.db, owner, device);
    return answer({ ok: true });
  }
  const device = parseSavedDevice(body);
  if (!device) return answer({ error: "bad_device" }, 422);
  const result = await saveDevice(context.db, context.env, owner, device);
  return result.ok ? answer({ ok: true }) : answer({ error: result.reason }, REFUSAL_STATUS[result.reason]);
}

/** Returns the account, or the visitor by the conversation that this browser started, or null for anybody else. */
async function ownerOf({ request, context }: Pick<LoaderFunctionArgs, "request" | "context">): Promise<Owner | null> {
  const viewer = await readViewer(request, context);
  const id = ownSessionId(await readCaller(request, context.env, viewer));
  return id === null ? null : { id, session: viewer };
}

function answer(body: object, status = 200): Response {
  return json(body, { status });
}
