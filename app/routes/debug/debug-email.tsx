import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import Inbox from "lucide-react/icons/inbox";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { readMailbox } from "#app/email/local-mailbox.server.ts";

export const meta: MetaFunction = () => [{ title: "Mailbox" }, { name: "robots", content: "noindex" }];

export async function loader({ context }: LoaderFunctionArgs) {
  const mails = await readMailbox(context.env);
  if (!mails) throw new Response(null, { status: 404 });
  return mails.map(({ at, to, subject, text }) => ({ at, to: to.join(", "), subject, paragraphs: text.split("\n\n") }));
}

export default function Mailbox() {
  const mails = useLoaderData<typeof loader>();
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-3xl flex-1 px-4 py-8 outline-none sm:px-6 sm:py-10">
      <h1 className="text-2xl">Mailbox</h1>
      <p className="mt-2 text-sm text-muted">What this copy has mailed, newest first. Nothing left this machine.</p>
      <div className="mt-6 flex flex-col gap-6">
        {mails.length === 0 && (
          <div className="rounded-md border border-line bg-raised">
            <EmptyState icon={Inbox} title="No mail yet">
              Ask for a new password, and its mail stands here.
            </EmptyState>
          </div>
        )}
        {mails.map((mail) => (
          <Card key={mail.at} title={mail.subject} titleId={`mail-${mail.at}`} aside={<RelativeDate at={mail.at} />}>
            <div className="flex flex-col gap-3 text-sm">
              <p className="text-muted">To {mail.to}</p>
              {mail.paragraphs.map((paragraph) =>
                paragraph.startsWith("http") ? (
                  <a key={paragraph} href={paragraph} className="break-all underline underline-offset-4">
                    {paragraph}
                  </a>
                ) : (
                  <p key={paragraph}>{paragraph}</p>
                ),
              )}
            </div>
          </Card>
        ))}
      </div>
    </main>
  );
}
