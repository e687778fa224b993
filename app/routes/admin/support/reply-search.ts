import type { LoaderFunctionArgs } from "@remix-run/cloudflare";
import { requireStaffCall } from "#app/accounts/session/viewer.server.ts";
import { cutText } from "#app/cut-text.ts";
import { type Reply, searchReplies } from "#app/support/team/saved-replies.server.ts";

const TEXT_MAX_CHARS = 100;
const SHOWN = 8;

/** Finds saved replies for what an agent types after a slash, where the team has more than a console loads. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireStaffCall(request, context);
  const text = cutText((new URL(request.url).searchParams.get("q") ?? "").trim(), TEXT_MAX_CHARS);
  const replies: Reply[] = text === "" ? [] : await searchReplies(context.db, text, SHOWN);
  return Response.json({ replies }, { headers: { "Cache-Control": "no-store" } });
}
