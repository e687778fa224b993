import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { methodNotAllowed } from "#app/http/requests/allowed-methods.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { json } from "#app/http/responses/api-response.ts";
import { abortUpload, completeUpload, putPart, readReceivedParts } from "#app/uploads/multipart-upload.server.ts";

/** Returns the numbers of the parts that have arrived. */
export async function loader({ request, params, context }: LoaderFunctionArgs): Promise<Response> {
  const { userId } = await requireViewer(request, context);
  const received = await readReceivedParts(context.db, userId, requireTextId(params.id));
  return received ? json({ received }) : json({ error: "Upload not found." }, { status: 404 });
}

/** PUT ?part=N stores a part, POST assembles the file, DELETE aborts the upload. */
export async function action({ request, params, context }: ActionFunctionArgs): Promise<Response> {
  const { userId } = await requireViewer(request, context);
  const { db, env } = context;
  const id = requireTextId(params.id);
  switch (request.method) {
    case "PUT": {
      const part = new URL(request.url).searchParams.get("part") ?? "";
      if (!/^\d{1,5}$/.test(part)) return json({ error: "Missing part number." }, { status: 400 });
      const kept = await putPart(db, env.UPLOADS, userId, id, Number(part), request.body);
      return kept.ok ? json({ ok: true }) : json({ error: kept.text }, { status: kept.status });
    }
    case "POST": {
      const completed = await completeUpload(db, env.UPLOADS, userId, id);
      if (!completed.ok) return json({ error: completed.text }, { status: completed.status });
      const { name, size, contentType } = completed.upload;
      return json({ id, name, size, contentType }, { status: 201 });
    }
    case "DELETE":
      return (await abortUpload(db, env.UPLOADS, userId, id))
        ? json({ ok: true })
        : json({ error: "Upload not found." }, { status: 404 });
    default:
      throw methodNotAllowed(["GET", "PUT", "POST", "DELETE"]);
  }
}
