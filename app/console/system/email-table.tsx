import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, RowLink, TimeCell } from "#app/components/table/row-cells.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import type { StaffEmail } from "#app/email/email-admin.server.ts";
import { EMAIL_KIND_NAMES, EMAIL_STATUS_NAMES } from "./email-names.ts";

/** The columns of emails that wait or did not arrive. `waiting`: with the next attempt in place of the status. */
export function emailColumns({ number }: Formats, waiting: boolean): Column<StaffEmail>[] {
  return [
    { name: "recipient", header: "Recipient", cell: (email) => <Recipient email={email} /> },
    waiting
      ? {
          name: "next",
          header: "Next attempt",
          inCard: "figure",
          sort: "created",
          cell: ({ nextAttemptAt }) => nextAttemptAt !== null && <TimeCell at={nextAttemptAt} />,
        }
      : {
          name: "status",
          header: "Status",
          inCard: "text",
          cell: ({ status }) => <Badge tone={EMAIL_STATUS_NAMES[status].tone}>{EMAIL_STATUS_NAMES[status].name}</Badge>,
        },
    {
      name: "kind",
      header: "Email",
      inCard: "text",
      className: "whitespace-nowrap",
      cell: ({ kind }) => EMAIL_KIND_NAMES[kind],
    },
    { name: "attempts", header: "Attempts", inCard: "figure", numeric: true, cell: ({ attempts }) => number(attempts) },
    {
      name: "created",
      header: "Queued",
      inCard: "text",
      ...(!waiting && { sort: "created" }),
      className: "text-muted",
      cell: ({ createdAt }) => <TimeCell at={createdAt} />,
    },
    {
      name: "error",
      header: "Last error",
      inCard: "line",
      className: "min-w-48 py-2 break-words text-muted max-md:col-span-2",
      cell: ({ lastError }) => lastError,
    },
  ];
}

function Recipient({ email: { recipient, userId } }: { email: StaffEmail }) {
  if (userId === null) return <CutText>{recipient}</CutText>;
  return (
    <RowLink to={`/admin/customers/${userId}`} title={recipient}>
      {recipient}
    </RowLink>
  );
}
