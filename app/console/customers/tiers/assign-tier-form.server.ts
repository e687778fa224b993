import { z } from "zod";
import type { FormOutcome } from "#app/components/forms/form-result.ts";
import { count, optionalCount } from "#app/console/staff-fields.server.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Db } from "#app/db/db.server.ts";
import { parseForm } from "#app/http/requests/read-form.ts";
import { assignTier, readAssignedTier } from "./assign-tier.server.ts";

const assignInput = z.object({
  tier: optionalCount,
  version: count,
});

/** Handles the form that assigns a customer a tier. */
export async function submitTierAssignment(db: Db, actor: Actor, userId: string, form: FormData): Promise<FormOutcome> {
  const parsed = parseForm(form, assignInput);
  if (!parsed.ok) return { kind: "shown", status: 400, result: parsed.result };
  const { tier, version } = parsed.input;
  const assigned = await assignTier(db, actor, userId, tier, version);
  if (assigned.ok) return { kind: "done", message: assigned.changed ? "Tier assigned." : "No changes." };
  switch (assigned.reason) {
    case "not_found":
      return { kind: "shown", status: 404, result: parsed.refuse({ message: "Customer not found." }) };
    case "unknown_tier":
      return { kind: "shown", status: 409, result: parsed.refuse({ fieldErrors: { tier: "This tier is deleted" } }) };
    case "stale": {
      const name = (await readAssignedTier(db, userId))?.name ?? "the usual prices";
      const message = `Someone changed this customer's tier meanwhile: it is ${name} now. Choose again to assign another.`;
      return { kind: "shown", status: 409, result: parsed.refuse({ message }) };
    }
    default:
      return assigned.reason satisfies never;
  }
}
