import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import { listStaff } from "#app/accounts/profile/team-members.server.ts";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { Card } from "#app/components/ui/card.tsx";
import { staffForm } from "#app/console/staff-action.server.ts";
import { beginEdit } from "#app/http/edits/edit-input.server.ts";
import { readCursor } from "#app/http/lists/list-query.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { SavedReplyForm } from "#app/support/console/settings/saved-reply-form.tsx";
import { SavedReplyList } from "#app/support/console/settings/saved-reply-list.tsx";
import { pageReplies, readReply, readReplyQuery } from "#app/support/team/saved-replies.server.ts";
import { replyTexts, submitReplyForm } from "#app/support/team/saved-replies-form.server.ts";

const REPLIES_PER_PAGE = 50;

export const meta: MetaFunction = () => [{ title: `Saved replies · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { role } = await requireRole(request, context, "agent", "admin");
  const { searchParams } = new URL(request.url);
  const query = readReplyQuery(searchParams);
  const editedId = parseId(searchParams.get("edit"));
  const [replies, edited, staff] = await Promise.all([
    pageReplies(context.db, query, readCursor(searchParams), REPLIES_PER_PAGE),
    editedId === null ? null : readReply(context.db, editedId),
    listStaff(context.db),
  ]);
  const edit = edited ? beginEdit(edited.version, replyTexts(edited)) : null;
  return { ...replies, ...query, edited, edit, staff, canExport: role === "admin" };
}

export const action = staffForm({ roles: ["agent", "admin"], withoutProof: true }, ({ context, actor, form }) =>
  submitReplyForm(context.db, actor, form),
);

export default function Replies() {
  const { rows: replies, next, sort, sorts, search, edited, edit, staff, canExport } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>();
  return (
    <>
      <h1 className="text-2xl">Saved replies</h1>
      <p className="mt-2 max-w-prose text-sm text-muted">
        Type “/” at the start of a reply to use one. {"{name}"} becomes the visitor's first name, {"{agent}"} becomes
        yours. A reply can also tag, assign, add a note and close: you see what it does before you send it.
      </p>
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_360px]">
        <Card title="Replies" titleId="replies" flush>
          <SavedReplyList
            replies={replies}
            staff={staff}
            state={{ sort, sorts, next }}
            search={search}
            canExport={canExport}
          />
        </Card>
        <Card title={edited ? `Edit /${edited.shortcut}` : "New reply"} titleId="reply-form">
          <SavedReplyForm
            key={edited?.id ?? `new-${replies.length}`}
            reply={edited ?? undefined}
            edit={edit}
            staff={staff}
            result={result}
          />
        </Card>
      </div>
    </>
  );
}
