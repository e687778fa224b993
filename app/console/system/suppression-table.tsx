import { Link } from "@remix-run/react";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, TimeCell } from "#app/components/table/row-cells.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import type { StaffSuppression } from "#app/email/email-admin.server.ts";
import { SUPPRESSION_REASON_NAMES } from "./email-names.ts";

/** The columns of suppressed addresses. `linkTo`: the form that lifts a suppression. */
export function suppressionColumns(linkTo: (digest: string) => string): Column<StaffSuppression>[] {
  return [
    { name: "address", header: "Address", cell: (row) => <CutText>{nameOf(row)}</CutText> },
    {
      name: "reason",
      header: "Reason",
      inCard: "text",
      cell: ({ reason }) => (
        <Badge tone={SUPPRESSION_REASON_NAMES[reason].tone}>{SUPPRESSION_REASON_NAMES[reason].name}</Badge>
      ),
    },
    {
      name: "created",
      header: "Since",
      inCard: "figure",
      sort: "created",
      className: "text-muted",
      cell: ({ createdAt }) => <TimeCell at={createdAt} />,
    },
    {
      name: "detail",
      header: "Detail",
      inCard: "line",
      className: "min-w-64 py-2 break-words text-muted max-md:col-span-2",
      cell: ({ detail }) => detail,
    },
    {
      name: "remove",
      header: "Remove suppression",
      isAction: true,
      cell: (row) => (
        <Link
          to={linkTo(row.digest)}
          preventScrollReset
          data-row-link
          aria-label={`Remove suppression of ${nameOf(row)}`}
          className="inline-flex h-11 items-center whitespace-nowrap underline underline-offset-4 sm:h-8"
        >
          Remove
        </Link>
      ),
    },
  ];
}

/** Returns the address, or the start of its digest once its account is deleted. */
export function nameOf({ address, digest }: Pick<StaffSuppression, "address" | "digest">): string {
  return address ?? `Deleted account ${digest.slice(0, 8)}…`;
}
