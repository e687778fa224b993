import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import MessageSquareQuote from "lucide-react/icons/message-square-quote";
import { listStaff } from "#app/accounts/profile/team-members.server.ts";
import { asStaff, requireRole } from "#app/accounts/session/viewer.server.ts";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { SavedReplyForm } from "#app/support/console/settings/saved-reply-form.tsx";
import { SavedReplyList } from "#app/support/console/settings/saved-reply-list.tsx";
import { listReplies } from "#app/support/team/saved-replies.server.ts";
import { submitReplyForm } from "#app/support/team/saved-replies-form.server.ts";

export const meta: MetaFunction = () => [{ title: `Saved replies · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "agent", "admin");
  const [replies, staff] = await Promise.all([listReplies(context.db), listStaff(context.db)]);
  return { replies, staff };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireRole(request, context, "agent", "admin");
  return respondToForm(request, await asStaff(request, viewer, (actor) => submitReplyForm(context.db, actor, form)));
}

export default function Replies() {
  const { replies, staff } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  const [params] = useSearchParams();
  const edited = replies.find(({ id }) => String(id) === params.get("edit"));
  return (
    <>
      <h1 className="text-2xl">Saved replies</h1>
      <p className="mt-2 max-w-prose text-sm text-muted">
        Type “/” at the start of a reply to use one. {"{name}"} becomes the visitor's first name, {"{agent}"} becomes
        yours. A reply can also tag, assign, add a note and close: you see what it does before you send it.
      </p>
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_360px]">
        <Card title="Replies" titleId="replies" flush>
          {replies.length === 0 ? (
            <EmptyState icon={MessageSquareQuote} title="No saved replies yet">
              Save a reply you write often, and your whole team can use it.
            </EmptyState>
          ) : (
            <SavedReplyList replies={replies} staff={staff} />
          )}
        </Card>
        <Card title={edited ? `Edit /${edited.shortcut}` : "New reply"} titleId="reply-form">
          <SavedReplyForm key={edited?.id ?? `new-${replies.length}`} reply={edited} staff={staff} result={result} />
        </Card>
      </div>
    </>
  );
}
