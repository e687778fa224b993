import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useLoaderData } from "@remix-run/react";
import MessageSquareQuote from "lucide-react/icons/message-square-quote";
import { listStaff } from "#app/accounts/profile/team-members.server.ts";
import { asStaff, requireRole } from "#app/accounts/session/viewer.server.ts";
import { SearchForm } from "#app/components/forms/search-form.tsx";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { beginEdit } from "#app/http/edits/edit-input.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { SavedReplyForm } from "#app/support/console/settings/saved-reply-form.tsx";
import { SavedReplyList } from "#app/support/console/settings/saved-reply-list.tsx";
import { pageReplies, readReply } from "#app/support/team/saved-replies.server.ts";
import { replyTexts, submitReplyForm } from "#app/support/team/saved-replies-form.server.ts";

const REPLIES_PER_PAGE = 50;
const SEARCH_MAX_CHARS = 100;

export const meta: MetaFunction = () => [{ title: `Saved replies · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "agent", "admin");
  const { searchParams } = new URL(request.url);
  const search = (searchParams.get("q") ?? "").trim().slice(0, SEARCH_MAX_CHARS).toWellFormed();
  const after = (searchParams.get("after") ?? "").slice(0, SEARCH_MAX_CHARS).toWellFormed();
  const editedId = parseId(searchParams.get("edit"));
  const [replies, edited, staff] = await Promise.all([
    pageReplies(context.db, { search, after }, REPLIES_PER_PAGE),
    editedId === null ? null : readReply(context.db, editedId),
    listStaff(context.db),
  ]);
  const edit = edited ? beginEdit(edited.version, replyTexts(edited)) : null;
  return { ...pageOf(replies, REPLIES_PER_PAGE, ({ shortcut }) => shortcut), search, edited, edit, staff };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireRole(request, context, "agent", "admin");
  return respondToForm(request, await asStaff(request, viewer, (actor) => submitReplyForm(context.db, actor, form)));
}

export default function Replies() {
  const { rows: replies, next, search, edited, edit, staff } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  return (
    <>
      <h1 className="text-2xl">Saved replies</h1>
      <p className="mt-2 max-w-prose text-sm text-muted">
        Type “/” at the start of a reply to use one. {"{name}"} becomes the visitor's first name, {"{agent}"} becomes
        yours. A reply can also tag, assign, add a note and close: you see what it does before you send it.
      </p>
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_360px]">
        <Card title="Replies" titleId="replies" flush>
          <div className="border-b border-line px-4 py-3 sm:px-5">
            <SearchForm id="reply-search" search={search} placeholder="Shortcut, text, tag or note" />
          </div>
          {replies.length === 0 ? (
            <EmptyState
              icon={MessageSquareQuote}
              title={search === "" ? "No saved replies yet" : "No saved reply matches"}
            >
              {search === ""
                ? "Save a reply you write often, and your whole team can use it."
                : "Search for another word, or clear the search."}
            </EmptyState>
          ) : (
            <SavedReplyList replies={replies} staff={staff} />
          )}
          <MoreLink name="after" next={next} />
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
