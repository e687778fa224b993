import { Link } from "@remix-run/react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { listFailedEmails } from "#app/email/email-admin.server.ts";
import { EMAIL_KIND_NAMES, EMAIL_STATUS_NAMES } from "./email-names.ts";

type StaffEmail = Awaited<ReturnType<typeof listFailedEmails>>[number];

/** Emails that wait or did not arrive. `waiting`: shows the next attempt in place of the status. */
export function EmailTable({ emails, waiting }: { emails: StaffEmail[]; waiting: boolean }) {
  const { number } = useFormats();
  return (
    <Table
      label="Emails"
      head={
        <>
          <Th>Queued</Th>
          <Th>Recipient</Th>
          <Th>{waiting ? "Next attempt" : "Status"}</Th>
          <Th>Email</Th>
          <Th numeric>Attempts</Th>
          <Th>Last error</Th>
        </>
      }
    >
      {emails.map((email) => (
        <tr key={email.id}>
          <Td className="whitespace-nowrap text-muted">
            <RelativeDate at={email.createdAt} />
          </Td>
          <Td>
            <Recipient email={email} />
          </Td>
          <Td className="whitespace-nowrap">
            {waiting && email.nextAttemptAt !== null ? (
              <RelativeDate at={email.nextAttemptAt} />
            ) : (
              <Badge tone={EMAIL_STATUS_NAMES[email.status].tone}>{EMAIL_STATUS_NAMES[email.status].name}</Badge>
            )}
          </Td>
          <Td className="whitespace-nowrap">{EMAIL_KIND_NAMES[email.kind]}</Td>
          <Td numeric>{number(email.attempts)}</Td>
          <Td className="min-w-64 py-2 break-words text-muted">{email.lastError ?? "—"}</Td>
        </tr>
      ))}
    </Table>
  );
}

function Recipient({ email: { recipient, userId } }: { email: StaffEmail }) {
  if (userId === null) {
    return (
      <span className="block max-w-36 truncate sm:max-w-64" title={recipient}>
        {recipient}
      </span>
    );
  }
  return (
    <Link
      to={`/admin/customers/${userId}`}
      title={recipient}
      className="block max-w-36 truncate sm:max-w-64 leading-11 underline underline-offset-4 sm:leading-10"
    >
      {recipient}
    </Link>
  );
}
