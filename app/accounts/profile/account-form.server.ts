import type { AppLoadContext } from "@remix-run/cloudflare";
import { emailChangeInput, nameInput, passwordChangeInput } from "#app/accounts/forms/account-input.ts";
import type { FormResult } from "#app/accounts/forms/use-checked-form.ts";
import { endSession, endSessions } from "#app/accounts/session/auth-sessions.server.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import { formText, parseForm } from "#app/http/requests/read-form.ts";
import { EMAIL_CHANGE_ERRORS, requestEmailChange } from "./email-change.server.ts";
import { changeName, changePassword, PASSWORD_CHANGE_ERRORS } from "./profile.server.ts";

export type AccountAnswer = {
  intent: string;
  /** For the form that was sent. */
  result: FormResult | null;
  /** A sentence that confirms what was done. */
  done: string | null;
  status: number;
  headers: Record<string, string>;
};

/** Handles the forms of the account page. Returns null for an unknown form or another user's session. */
export async function answerAccountForm(
  context: AppLoadContext,
  request: Request,
  viewer: Viewer,
  form: FormData,
): Promise<AccountAnswer | null> {
  switch (form.get("intent")) {
    case "name":
      return answerName(context, viewer, form);
    case "email":
      return answerEmail(context, request, viewer, form);
    case "password":
      return answerPassword(context, request, viewer, form);
    case "end-session":
      if (!(await endSession(context.db, viewer.userId, formText(form, "id")))) return null;
      return done("end-session", "Device signed out.", null);
    case "end-others":
      await endSessions(context.db, viewer.userId, viewer.sessionId);
      return done("end-others", "All other devices were signed out.", null);
    default:
      return null;
  }
}

async function answerName(context: AppLoadContext, viewer: Viewer, form: FormData): Promise<AccountAnswer> {
  const submission = parseForm(form, nameInput);
  if (submission.status !== "success") return refused("name", submission.reply());
  await changeName(context.db, viewer.userId, submission.value.fullName);
  return done("name", "Name saved.", submission.reply());
}

async function answerEmail(context: AppLoadContext, request: Request, viewer: Viewer, form: FormData) {
  const submission = parseForm(form, emailChangeInput);
  const hideFields = ["password"];
  if (submission.status !== "success") return refused("email", submission.reply({ hideFields }));
  const { newEmail } = submission.value;
  const asked = await requestEmailChange(context, request, viewer, submission.value);
  if (asked.ok) {
    const text = `We sent a link to ${newEmail}. Until you confirm it, keep logging in with ${viewer.email}.`;
    return done("email", text, submission.reply({ resetForm: true }));
  }
  if (asked.reason === "too_many") {
    return refused("email", submission.reply({ formErrors: [asked.text], hideFields }), asked);
  }
  const field = asked.reason === "wrong_password" ? "password" : "newEmail";
  const fieldErrors = { [field]: [EMAIL_CHANGE_ERRORS[asked.reason]] };
  return refused("email", submission.reply({ fieldErrors, hideFields }));
}

async function answerPassword(context: AppLoadContext, request: Request, viewer: Viewer, form: FormData) {
  const submission = parseForm(form, passwordChangeInput);
  const hideFields = ["current", "next"];
  if (submission.status !== "success") return refused("password", submission.reply({ hideFields }));
  const changed = await changePassword(context, request, viewer, submission.value);
  if (changed.ok) {
    const text = "Password changed. Your other devices were signed out.";
    return done("password", text, submission.reply({ resetForm: true }));
  }
  if (changed.reason === "too_many") {
    return refused("password", submission.reply({ formErrors: [changed.text], hideFields }), changed);
  }
  const field = changed.reason === "wrong_password" ? "current" : "next";
  const fieldErrors = { [field]: [PASSWORD_CHANGE_ERRORS[changed.reason]] };
  return refused("password", submission.reply({ fieldErrors, hideFields }));
}

function done(intent: string, text: string, result: FormResult | null): AccountAnswer {
  return { intent, result, done: text, status: 200, headers: {} };
}

function refused(
  intent: string,
  result: FormResult,
  { status, headers }: { status: number; headers: Record<string, string> } = { status: 400, headers: {} },
): AccountAnswer {
  return { intent, result, done: null, status, headers };
}
