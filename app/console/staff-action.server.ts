import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { asStaff, requireRole, type Viewer } from "#app/accounts/session/viewer.server.ts";
import { requireRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import type { FormOutcome, FormResult } from "#app/components/forms/form-result.ts";
import type { Actor } from "#app/db/audit.server.ts";
import type { Role } from "#app/db/schema.server.ts";
import { respondToForm } from "#app/form-response.server.ts";
import { type LargeForm, readForm } from "#app/http/requests/read-form.ts";

type Guards = {
  /** Who may submit the page's forms. Only admins by default. */
  roles?: readonly Exclude<Role, "customer">[];
  /** Forms that change nothing a stolen session must not change: all of the page's, or those it returns true for. */
  withoutProof?: true | ((form: FormData) => boolean);
  /** For a form that may be larger than others. */
  large?: LargeForm;
};

/** A form that staff submitted, past its guards. */
type StaffSubmission = Pick<ActionFunctionArgs, "context" | "request" | "params"> & {
  form: FormData;
  viewer: Viewer;
  /** Who the audit log says did it. A change is refused if their session has ended meanwhile. */
  actor: Actor;
  /** Throws a redirect to the page that asks for a proof, unless there is a recent one. */
  requireProof: () => void;
};

/**
 * Returns a route's action for forms of staff: it asks for one of the roles and for a recent proof before anything is read or
 * changed, and leads to the sign-in page if the session ended in the middle.
 */
export function staffAction<Answer>(
  { roles = ["admin"], withoutProof, large }: Guards,
  answer: (submission: StaffSubmission) => Promise<Answer>,
) {
  return async ({ request, context, params }: ActionFunctionArgs): Promise<Answer> => {
    const form = await readForm(request, large);
    const viewer = await requireRole(request, context, ...roles);
    const requireProof = () => requireRecentProof(request, viewer);
    if (withoutProof !== true && !withoutProof?.(form)) requireProof();
    return asStaff(request, viewer, (actor) => answer({ context, request, params, form, viewer, actor, requireProof }));
  };
}

/** Returns a `staffAction` that responds with the outcome of a form. Null is a form that the page doesn't have: 400. */
export function staffForm<Result extends FormResult>(
  guards: Guards,
  submit: (submission: StaffSubmission) => Promise<FormOutcome<Result> | null>,
) {
  return staffAction(guards, async (submission) => {
    const outcome = await submit(submission);
    if (!outcome) throw new Response(null, { status: 400 });
    return respondToForm(submission.request, outcome);
  });
}
