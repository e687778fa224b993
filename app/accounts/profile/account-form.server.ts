import type { AppLoadContext } from "@remix-run/cloudflare";
import { EMAIL_CHANGE_ERRORS, requestEmailChange } from "#app/accounts/email-address/email-change.server.ts";
import { recordEvent } from "#app/accounts/events/security-events.server.ts";
import { emailChangeInput, nameInput, passwordChangeInput } from "#app/accounts/forms/account-input.ts";
import type { OtherAccess } from "#app/accounts/password/other-access.ts";
import { endSession, endSessions } from "#app/accounts/session/auth-sessions.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import { deviceName } from "#app/accounts/visit/device-name.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import { formText, parseForm } from "#app/http/requests/read-form.ts";
import { changeName, changePassword, PASSWORD_CHANGE_ERRORS } from "./profile.server.ts";

/** Handles the forms of the account page. Returns null for an unknown form or another user's session. */
export async function submitAccountForm(
  context: AppLoadContext,
  visit: Visit,
  viewer: Viewer,
  form: FormData,
  access: OtherAccess,
): Promise<FormOutcome | null> {
  switch (form.get("intent")) {
    case "name":
      return submitName(context, viewer, form);
    case "email":
      return submitEmail(context, visit, viewer, form);
    case "password":
      return submitPassword(context, visit, viewer, form, access);
    case "end-session":
      return submitEndSession(context, visit, viewer, form);
    case "end-others":
      await endSessions(context.db, viewer.userId, viewer.sessionId);
      recordEvent(context, visit, viewer.userId, "sessions_ended");
      return done("end-others", "All other devices were logged out.");
    default:
      return null;
  }
}

async function submitEndSession(context: AppLoadContext, visit: Visit, viewer: Viewer, form: FormData) {
  const ended = await endSession(context.db, viewer.userId, formText(form, "id"));
  if (!ended) return null;
  recordEvent(context, visit, viewer.userId, "session_ended", { device: deviceName(ended.userAgent) });
  return done("end-session", "Device logged out.");
}

async function submitName(context: AppLoadContext, viewer: Viewer, form: FormData): Promise<FormOutcome> {
  const parsed = parseForm(form, nameInput);
  if (!parsed.ok) return refused(parsed.result);
  const { fullName } = parsed.input;
  await changeName(context.db, viewer.userId, fullName);
  return done("name", "Name saved.", { fullName });
}

async function submitEmail(context: AppLoadContext, visit: Visit, viewer: Viewer, form: FormData) {
  const parsed = parseForm(form, emailChangeInput, { secrets: ["password"] });
  if (!parsed.ok) return refused(parsed.result);
  const { newEmail } = parsed.input;
  const requested = await requestEmailChange(context, visit, viewer, parsed.input);
  if (requested.ok) {
    return done("email", `We sent a link to ${newEmail}. Until you confirm it, keep logging in with ${viewer.email}.`);
  }
  if (requested.reason === "too_many") return refused(parsed.refuse({ message: requested.text }), requested);
  const field = requested.reason === "wrong_password" ? "password" : "newEmail";
  return refused(parsed.refuse({ fieldErrors: { [field]: EMAIL_CHANGE_ERRORS[requested.reason] } }));
}

async function submitPassword(
  context: AppLoadContext,
  visit: Visit,
  viewer: Viewer,
  form: FormData,
  access: OtherAccess,
) {
  const parsed = parseForm(form, passwordChangeInput, { secrets: ["current", "next"] });
  if (!parsed.ok) return refused(parsed.result);
  const { endAccess, ...passwords } = parsed.input;
  const changed = await changePassword(context, visit, viewer, passwords, endAccess ? access : undefined);
  if (changed.ok) {
    const also = endAccess ? " Your API keys were revoked and your webhooks turned off." : "";
    return done("password", `Password changed. Your other devices were logged out.${also}`);
  }
  if (changed.reason === "too_many") return refused(parsed.refuse({ message: changed.text }), changed);
  const field = changed.reason === "wrong_password" ? "current" : "next";
  return refused(parsed.refuse({ fieldErrors: { [field]: PASSWORD_CHANGE_ERRORS[changed.reason] } }));
}

function done(intent: string, message: string, values?: Record<string, string>): FormOutcome {
  return { kind: "shown", status: 200, result: { intent, ok: true, message, values } };
}

function refused(
  result: FormResult,
  { status, headers }: { status: number; headers?: HeadersInit } = { status: 400 },
): FormOutcome {
  return { kind: "shown", status, result, ...(headers && { headers }) };
}
