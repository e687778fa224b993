import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData } from "@remix-run/react";
import Inbox from "lucide-react/icons/inbox";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { readSentEmails } from "#app/email/sent-emails.server.ts";

export const meta: MetaFunction = () => [{ title: "Sent emails" }, { name: "robots", content: "noindex" }];

export async function loader({ context }: LoaderFunctionArgs) {
  const emails = await readSentEmails(context.env);
  if (!emails) throw new Response(null, { status: 404 });
  return emails.map(({ at, to, subject, text }, index) => ({
    // Two may be sent in the same millisecond.
    number: emails.length - index,
    at,
    to: to.join(", "),
    subject,
    paragraphs: text.split("\n\n"),
  }));
}

export default function SentEmails() {
  const emails = useLoaderData<typeof loader>();
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-3xl flex-1 px-4 py-8 outline-none sm:px-6 sm:py-10">
      <h1 className="text-2xl">Sent emails</h1>
      <p className="mt-2 text-sm text-muted">
        Emails sent by this local copy, newest first. None of them left this machine.
      </p>
      <div className="mt-6 flex flex-col gap-6">
        {emails.length === 0 && (
          <div className="rounded-md border border-line bg-raised">
            <EmptyState icon={Inbox} title="No emails yet">
              Request a password reset to see one here.
            </EmptyState>
          </div>
        )}
        {emails.map((email) => (
          <Card
            key={email.number}
            as="article"
            title={email.subject}
            titleId={`email-${email.number}`}
            aside={<RelativeDate at={email.at} />}
          >
            <div className="flex flex-col gap-3 text-sm">
              <p className="text-muted">To {email.to}</p>
              {email.paragraphs.map((paragraph) =>
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
