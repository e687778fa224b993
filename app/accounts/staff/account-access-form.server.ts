import type { AppLoadContext } from "@remix-run/cloudflare";
import { z } from "zod";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { ROLES } from "#app/db/schema.server.ts";
import { onceKey, reason } from "#app/http/edits/recorded-form.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { SESSION_ENDED } from "#app/http/responses/session-ended.ts";
import { type AccessChange, type AccessRefusal, changeAccess } from "./account-access.server.ts";

const REFUSALS: Record<AccessRefusal, { status: number; message: string }> = {
  not_found: { status: 404, message: "Account not found." },
  own_account: { status: 403, message: "You can't change your own access. Ask another admin." },
  admin_only: { status: 403, message: "Only an admin can change this." },
  unchanged: { status: 409, message: "Nothing changed: somebody else did this already." },
  other_role: { status: 409, message: "Somebody else changed this role meanwhile. Reload the page to see it." },
  email_unconfirmed: { status: 409, message: "This person has to confirm their email address first." },
  repeated: { status: 409, message: "This form was already submitted. Nothing was done again." },
  session_ended: { status: 401, message: SESSION_ENDED },
};

const accessInput = z.object({
  change: z.enum(["end_sessions", "suspend", "reactivate", "role", "remove_factors", "send_setup_link"]),
  role: z.enum(ROLES, "Choose a role").optional(),
  from: z.enum(ROLES).optional(),
  reason,
  once: onceKey,
});

/** Handles the forms that change the access of an account. */
export async function submitAccessForm(
  context: AppLoadContext,
  request: Request,
  viewer: Viewer,
  userId: string,
  form: FormData,
): Promise<FormOutcome> {
  const parsed = parseForm(form, accessInput);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const change = changeOf(parsed.input);
  if (!change) {
    return { kind: "shown", status: 400, result: parsed.refuse({ fieldErrors: { role: "Choose a role" } }) };
  }
  const changed = await changeAccess(context, request, viewer, userId, change, parsed.input);
  if (changed.ok) return { kind: "done", message: doneText(change) };
  const { status, message } = REFUSALS[changed.reason];
  return { kind: "shown", status, result: parsed.refuse({ message }) };
}

function changeOf({ change, role, from }: z.infer<typeof accessInput>): AccessChange | null {
  if (change !== "role") return { kind: change };
  return role ? { kind: change, role, from } : null;
}

function doneText(change: AccessChange): string {
  switch (change.kind) {
    case "end_sessions":
      return "Logged out on all devices.";
    case "suspend":
      return "Account suspended.";
    case "reactivate":
      return "Account reactivated.";
    case "role":
      return `Role changed to ${change.role}.`;
    case "remove_factors":
      return "Two-step login removed.";
    case "send_setup_link":
      return "Setup link sent.";
  }
  change satisfies never;
}
