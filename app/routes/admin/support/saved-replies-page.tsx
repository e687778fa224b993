import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Form, Link, useActionData, useLoaderData, useNavigation, useSearchParams } from "@remix-run/react";
import MessageSquareQuote from "lucide-react/icons/message-square-quote";
import { actorOf, requireRole } from "#app/accounts/session/viewer.server.ts";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Textarea } from "#app/components/forms/textarea.tsx";
import { flashCookie } from "#app/components/toast/flash-cookie.ts";
import { Button, ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { parseId } from "#app/http/requests/id-param.ts";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { BODY_MAX_CHARS } from "#app/support/protocol/frames.ts";
import { deleteReply, listReplies, replyInput, saveReply } from "#app/support/team/saved-replies.server.ts";

const PAGE = "/admin/replies";
const REFUSALS = {
  taken: "Another reply uses this shortcut.",
  not_found: "This reply was deleted. Save it as a new one.",
  changed: "Someone else just changed this reply. Reload the page to see it.",
};

export const meta: MetaFunction = () => [{ title: `Saved replies · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "agent", "admin");
  return { replies: await listReplies(context.db) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const viewer = await requireRole(request, context, "agent", "admin");
  const by = actorOf(viewer);
  const form = await readForm(request);
  const id = parseId(form.get("id"));
  if (form.get("intent") === "delete") {
    const deleted = id === null || (await deleteReply(context.db, id, by));
    const notice = deleted ? "Reply deleted." : REFUSALS.changed;
    return redirect(PAGE, { headers: { "Set-Cookie": flashCookie(notice) } });
  }
  const values = { shortcut: formText(form, "shortcut"), body: formText(form, "body") };
  const parsed = replyInput.safeParse(values);
  if (!parsed.success) {
    const fields = Object.fromEntries(parsed.error.issues.map(({ path, message }) => [String(path[0]), message]));
    return data({ values, fields }, { status: 400 });
  }
  const saved = await saveReply(context.db, id, parsed.data, by);
  if (!saved.ok) return data({ values, fields: { shortcut: REFUSALS[saved.reason] } }, { status: 409 });
  const notice = `Reply saved. Type /${parsed.data.shortcut} to use it.`;
  return redirect(PAGE, { headers: { "Set-Cookie": flashCookie(notice) } });
}

export default function Replies() {
  const { replies } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>();
  const [params] = useSearchParams();
  const edited = replies.find(({ id }) => String(id) === params.get("edit"));
  const busy = useNavigation().formData?.get("intent") === "save";
  const errors: Record<string, string> = result?.fields ?? {};
  return (
    <>
      <h1 className="text-2xl">Saved replies</h1>
      <p className="mt-2 max-w-prose text-sm text-muted">
        Type “/” at the start of a reply to use one. {"{name}"} becomes the visitor’s first name, {"{agent}"} becomes
        yours.
      </p>
      <div className="mt-6 grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_360px]">
        <Card title="Replies" titleId="replies" flush>
          {replies.length === 0 ? (
            <EmptyState icon={MessageSquareQuote} title="No saved replies yet">
              Save a reply you write often, and your whole team can use it.
            </EmptyState>
          ) : (
            <ul className="divide-y divide-line">
              {replies.map(({ id, shortcut, body }) => (
                <li key={id} className="flex flex-col gap-2 px-4 py-3 text-sm sm:flex-row sm:items-start sm:px-5">
                  <div className="min-w-0 flex-1">
                    <p className="font-mono text-xs">/{shortcut}</p>
                    <p className="mt-1 line-clamp-3 break-words whitespace-pre-wrap text-muted">{body}</p>
                  </div>
                  <div className="flex shrink-0 gap-2">
                    <ButtonLink to={`?edit=${id}`} variant="secondary" aria-label={`Edit /${shortcut}`}>
                      Edit
                    </ButtonLink>
                    <Form method="post">
                      <input type="hidden" name="id" value={id} />
                      <Button
                        type="submit"
                        name="intent"
                        value="delete"
                        variant="danger"
                        aria-label={`Delete /${shortcut}`}
                      >
                        Delete
                      </Button>
                    </Form>
                  </div>
                </li>
              ))}
            </ul>
          )}
        </Card>
        <Card title={edited ? `Edit /${edited.shortcut}` : "New reply"} titleId="reply-form">
          <Form key={edited?.id ?? `new-${replies.length}`} method="post" className="flex flex-col gap-4">
            {edited && <input type="hidden" name="id" value={edited.id} />}
            <Field id="reply-shortcut" label="Shortcut" help="What you type after the slash." error={errors.shortcut}>
              {(control) => (
                <Input
                  {...control}
                  name="shortcut"
                  autoComplete="off"
                  maxLength={31}
                  defaultValue={result?.values.shortcut ?? edited?.shortcut}
                />
              )}
            </Field>
            <Field id="reply-body" label="Reply" error={errors.body}>
              {(control) => (
                <Textarea
                  {...control}
                  name="body"
                  rows={6}
                  maxLength={BODY_MAX_CHARS}
                  defaultValue={result?.values.body ?? edited?.body}
                />
              )}
            </Field>
            <div className="flex flex-wrap items-center gap-3">
              <Button type="submit" name="intent" value="save" busy={busy}>
                {edited ? "Save reply" : "Add reply"}
              </Button>
              {edited && (
                <Link to={PAGE} className="text-sm underline underline-offset-4">
                  New reply
                </Link>
              )}
            </div>
          </Form>
        </Card>
      </div>
    </>
  );
}
