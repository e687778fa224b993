import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { liftSuppression } from "#app/email/suppressions.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { reason } from "#app/orders/staff/staff-fields.server.ts";

const liftInput = z.object({
  intent: z.literal("lift"),
  digest: z.string().regex(/^[0-9a-f]{64}$/, "Reload the page and submit the form again"),
  reason,
});

/** Handles the form that lifts a suppression. `to`: the page to return to. */
export async function submitSuppressionForm(db: Db, actor: Actor, form: FormData, to: string): Promise<FormOutcome> {
  const parsed = parseForm(form, liftInput);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const { digest, reason } = parsed.input;
  if (await liftSuppression(db, actor, digest, reason)) {
    return { kind: "done", message: "Suppression removed.", to };
  }
  const result = parsed.refuse({ message: "This address isn't suppressed anymore. Nothing was done." });
  return { kind: "shown", status: 409, result };
}
