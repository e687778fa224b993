import type { AppLoadContext } from "@remix-run/cloudflare";
import { cancelFactorAlert, startFactorAlert } from "#app/accounts/devices/factor-alert.server.ts";
import { factorCodeInput, newPasskeyInput, passkeyInput } from "#app/accounts/forms/account-input.ts";
import type { Viewer } from "#app/accounts/session/viewer.server.ts";
import type { Visit } from "#app/accounts/visit/visit.server.ts";
import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import { CONFIRM_EMAIL_FIRST } from "#app/email/confirmed-email.server.ts";
import { formText, parseForm } from "#app/http/requests/read-form.ts";
import { SESSION_ENDED } from "#app/http/responses/session-ended.ts";
import { type AddedFactor, endSessionsWithoutFactor, recordAddedFactor } from "./factor-changes.server.ts";
import { announceChange, factorName, type NamedFactor } from "./factor-events.server.ts";
import { CODE_ERRORS, LAST_FACTOR } from "./factor-texts.ts";
import { factorsOf } from "./factors.server.ts";
import { readPasskeyProof } from "./passkey-form.server.ts";
import { changePasskey, REGISTRATION_ERRORS, registerPasskey } from "./passkeys.server.ts";
import { newRecoveryCodes } from "./recovery-codes.server.ts";
import { type FactorRemoval, removePasskey, removeTotp } from "./remove-factor.server.ts";
import { cancelTotpSetup, confirmTotp, startTotpSetup } from "./totp.server.ts";

/** `codes`: new recovery codes, which are shown this once. */
export type FactorsResult = FormResult & { codes?: string[] };
type Outcome = FormOutcome<FactorsResult>;
type Call = { context: AppLoadContext; visit: Visit; viewer: Viewer; form: FormData };

/** Handles the forms of the two-step login page. Returns null for an unknown form or another user's passkey. */
export async function submitFactorsForm(call: Call & { mustKeepOne: boolean }): Promise<Outcome | null> {
  const { context, viewer, form, mustKeepOne } = call;
  switch (form.get("intent")) {
    case "passkey":
      return addPasskey(call);
    case "change-passkey":
      return editPasskey(call);
    case "remove-passkey": {
      const removed = await removePasskey(context.db, viewer, formText(form, "id"), mustKeepOne);
      return afterRemoval(call, removed, { kind: "passkey", name: removed.ok ? removed.name : "" });
    }
    case "start-totp":
      return startTotp(call);
    case "cancel-totp":
      await cancelTotpSetup(context.db, viewer.userId);
      return reload("Setup canceled.");
    case "confirm-totp":
      return addTotp(call);
    case "remove-totp": {
      const removed = await removeTotp(context.db, viewer, mustKeepOne);
      return afterRemoval(call, removed, { kind: "totp" });
    }
    case "new-codes":
      return replaceCodes(call);
    default:
      return null;
  }
}

async function addPasskey(call: Call): Promise<Outcome> {
  const { context, visit, viewer, form } = call;
  const parsed = parseForm(form, newPasskeyInput);
  if (!parsed.ok) return shown(400, parsed.result);
  const { name, isSecondFactor } = parsed.input;
  const passkey = {
    ...readPasskeyProof(form, visit),
    name,
    isSecondFactor: isSecondFactor === "on",
    sessionId: viewer.sessionId,
  };
  const alert = await startFactorAlert(context.db, viewer.userId);
  const added = await registerPasskey(context, visit, viewer.userId, passkey);
  if (!added.ok) {
    await cancelFactorAlert(context.db, alert);
    return shown(400, parsed.refuse({ message: REGISTRATION_ERRORS[added.reason] }));
  }
  return afterAdding(call, "passkey", "Passkey added.", { factor: { kind: "passkey", name }, alert });
}

async function editPasskey(call: Call): Promise<Outcome | null> {
  const { context, viewer, form } = call;
  const parsed = parseForm(form, passkeyInput);
  if (!parsed.ok) return shown(400, parsed.result);
  const { id, name, isSecondFactor } = parsed.input;
  const change = { name, isSecondFactor: isSecondFactor === "on" };
  if (!(await changePasskey(context.db, viewer, id, change))) return null;
  await endSessionsWithoutFactor(call, await factorsOf(context.db, viewer.userId));
  return reload("Passkey saved.");
}

async function startTotp({ context, viewer }: Call): Promise<Outcome | null> {
  const intent = "start-totp";
  // Without a toast, which would cover the QR code on a phone.
  if (await startTotpSetup(context.db, context.env, viewer)) return shown(200, { intent, ok: true });
  return viewer.emailConfirmed ? null : shown(403, { intent, ok: false, message: CONFIRM_EMAIL_FIRST, values: {} });
}

async function addTotp(call: Call): Promise<Outcome> {
  const { context, viewer, form } = call;
  const parsed = parseForm(form, factorCodeInput, { secrets: ["code"] });
  if (!parsed.ok) return shown(400, parsed.result);
  const alert = await startFactorAlert(context.db, viewer.userId);
  if (!(await confirmTotp(context.db, context.env, viewer, parsed.input.code))) {
    await cancelFactorAlert(context.db, alert);
    return shown(400, parsed.refuse({ fieldErrors: { code: CODE_ERRORS.wrong_setup_code } }));
  }
  return afterAdding(call, "confirm-totp", "Authenticator app added.", { factor: { kind: "totp" }, alert });
}

/** Records the new factor, and shows recovery codes if the account has none. */
async function afterAdding(call: Call, intent: string, message: string, added: AddedFactor): Promise<Outcome> {
  const { context, viewer } = call;
  const factors = await recordAddedFactor(call, added);
  if (factors.recoveryCodesLeft > 0) return shown(200, { intent, ok: true, message });
  const { codes, statements } = newRecoveryCodes(context.db, viewer);
  const [, stored] = await context.db.batch(statements);
  return shown(200, { intent, ok: true, message, ...(stored.length > 0 && { codes }) });
}

async function afterRemoval(call: Call, removed: FactorRemoval, factor: NamedFactor): Promise<Outcome | null> {
  const intent = formText(call.form, "intent");
  if (!removed.ok && removed.reason === "last_factor") {
    return shown(400, { intent, ok: false, message: LAST_FACTOR, values: {} });
  }
  if (!removed.ok) return null;
  await announceChange(call.context, call.visit, call.viewer.userId, { kind: "factor_removed", factor });
  return reload(`${factorName(factor)} removed.`);
}

async function replaceCodes({ context, visit, viewer }: Call): Promise<Outcome | null> {
  const { passkeys, hasTotp } = await factorsOf(context.db, viewer.userId);
  if (passkeys.length === 0 && !hasTotp) return null;
  const alert = await startFactorAlert(context.db, viewer.userId);
  const { codes, statements } = newRecoveryCodes(context.db, viewer);
  const [, stored] = await context.db.batch(statements);
  if (stored.length === 0) {
    await cancelFactorAlert(context.db, alert);
    return shown(401, { intent: "new-codes", ok: false, message: SESSION_ENDED, values: {} });
  }
  await announceChange(context, visit, viewer.userId, { kind: "factor_added", factor: { kind: "codes" }, alert });
  return shown(200, { intent: "new-codes", ok: true, message: "Your earlier codes no longer work.", codes });
}

function shown(status: number, result: FactorsResult): Outcome {
  return { kind: "shown", status, result };
}

function reload(message: string): Outcome {
  return { kind: "done", message };
}
