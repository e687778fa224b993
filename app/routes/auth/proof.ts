import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { readHeldViewer } from "#app/accounts/session/viewer.server.ts";
import type { ProofStatus } from "#app/accounts/step-up/proof-result.ts";
import { hasRecentProof } from "#app/accounts/step-up/recent-proof.server.ts";
import { proofMethodsOf, submitVerifyForm } from "#app/accounts/step-up/verify-form.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readForm } from "#app/http/requests/read-form.ts";

/** Tells the dialog whether it has to ask, and for what. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const viewer = await readHeldViewer(request, context);
  if (!viewer) return new Response(null, { status: 401 });
  const status: ProofStatus = {
    isRecent: hasRecentProof(viewer),
    methods: await proofMethodsOf(context.db, viewer.userId),
  };
  return Response.json(status, { headers: NOT_STORED });
}

/** Takes the dialog's proof. */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["GET", "POST"]);
  const form = await readForm(request);
  const viewer = await readHeldViewer(request, context);
  if (!viewer) return new Response(null, { status: 401 });
  const visit = await readVisit(context, request);
  const { status, result, headers } = await submitVerifyForm(context, visit, viewer, form);
  return Response.json(result, { status, headers: { ...headers, ...NOT_STORED } });
}

const NOT_STORED = { "Cache-Control": "no-store" };
