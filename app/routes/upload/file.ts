import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { requireTextId } from "#app/http/requests/id-param.ts";
import { downloadHeaders, readUpload } from "#app/uploads/stored-files.server.ts";

/** Serves the file to its owner. */
export async function loader({ request, params, context }: LoaderFunctionArgs): Promise<Response> {
  const { userId } = await requireViewer(request, context);
  const upload = await readUpload(context.db, userId, requireTextId(params.id));
  const object = upload && (await context.env.UPLOADS.get(upload.key));
  if (!upload || !object) throw new Response(null, { status: 404 });
  return new Response(object.body, { headers: downloadHeaders(upload) });
}
