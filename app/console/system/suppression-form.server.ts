import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { reason } from "#app/console/staff-fields.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { liftSuppression } from "#app/email/suppressions.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { SUPPRESSION_REASON_NAMES } from "./email-names.ts";

const liftInput = z.object({
  intent: z.literal("lift"),
  digest: z.string().regex(/^[0-9a-f]{64}$/, "Reload the page and submit the form again"),
  at: z
    .string()
    .regex(/^\d{1,15}$/, "Reload the page and submit the form again")
    .transform(Number),
  reason,
});

/** Handles the form that lifts a suppression. `to`: the page to return to. */
export async function submitSuppressionForm(db: Db, actor: Actor, form: FormData, to: string): Promise<FormOutcome> {
  const parsed = parseForm(form, liftInput);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const { digest, at, reason } = parsed.input;
  const lifted = await liftSuppression(db, actor, { digest, seenAt: at }, reason);
  if (lifted.ok) return { kind: "done", message: "Suppression removed.", to };
  const { current } = lifted;
  const message =
    current === null
      ? "This address isn't suppressed anymore. Nothing was done."
      : `This address was suppressed again at ${timeText(current.createdAt)}: ${SUPPRESSION_REASON_NAMES[current.reason].name}. You saw the suppression of ${timeText(at)}. Nothing was removed.`;
  return { kind: "shown", status: 409, result: parsed.refuse({ message }) };
}

function timeText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
