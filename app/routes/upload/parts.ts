import type { ActionFunctionArgs } from "@remix-run/cloudflare";
import { z } from "zod";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { allowPostOnly, requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readJsonBody } from "#app/http/requests/read-json.ts";
import { json } from "#app/http/responses/api-response.ts";
import { startUpload } from "#app/uploads/multipart-upload.server.ts";

const begin = z.object({
  name: z.string().min(1).max(1000),
  size: z.int().min(0),
  fingerprint: z.string().max(300).default(""),
});

/** Starts a multipart upload: {name, size, fingerprint?} → {id, partSize, received}, or {error}. */
export async function action({ request, context }: ActionFunctionArgs): Promise<Response> {
  requireMethod(request, ["POST"]);
  const body = await readJsonBody(request);
  const { userId } = await requireViewer(request, context);
  const parsed = begin.safeParse(body);
  if (!parsed.success) return json({ error: "Send the file's name and its size in bytes." }, { status: 400 });
  const started = await startUpload(context.db, context.env.UPLOADS, userId, parsed.data);
  if (!started.ok) return json({ error: started.text }, { status: started.status });
  const { id, partSize } = started.upload;
  return json({ id, partSize, received: started.received }, { status: 201 });
}

export const loader = allowPostOnly;
