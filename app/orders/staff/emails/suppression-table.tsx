import { Link } from "@remix-run/react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { StaffSuppression } from "#app/email/email-admin.server.ts";
import { SUPPRESSION_REASON_NAMES } from "./email-names.ts";

/** Suppressed addresses, each with a link to the form that lifts its suppression. */
export function SuppressionTable({
  suppressions,
  linkTo,
}: {
  suppressions: StaffSuppression[];
  linkTo: (digest: string) => string;
}) {
  return (
    <Table
      label="Suppressed addresses"
      head={
        <>
          <Th>Since</Th>
          <Th>Address</Th>
          <Th>Reason</Th>
          <Th>Detail</Th>
          <Th>
            <span className="sr-only">Remove suppression</span>
          </Th>
        </>
      }
    >
      {suppressions.map(({ digest, address, reason, detail, createdAt }) => (
        <tr key={digest}>
          <Td className="whitespace-nowrap text-muted">
            <RelativeDate at={createdAt} />
          </Td>
          <Td>
            <span className="block max-w-44 truncate sm:max-w-64" title={address ?? digest}>
              {nameOf({ address, digest })}
            </span>
          </Td>
          <Td>
            <Badge tone={SUPPRESSION_REASON_NAMES[reason].tone}>{SUPPRESSION_REASON_NAMES[reason].name}</Badge>
          </Td>
          <Td className="min-w-64 py-2 break-words text-muted">{detail ?? "—"}</Td>
          <Td className="text-right">
            <Link
              to={linkTo(digest)}
              preventScrollReset
              aria-label={`Remove suppression of ${nameOf({ address, digest })}`}
              className="inline-flex h-11 items-center whitespace-nowrap underline underline-offset-4 sm:h-10"
            >
              Remove
            </Link>
          </Td>
        </tr>
      ))}
    </Table>
  );
}

/** Returns the address, or the start of its digest once its account is deleted. */
export function nameOf({ address, digest }: Pick<StaffSuppression, "address" | "digest">): string {
  return address ?? `Deleted account ${digest.slice(0, 8)}…`;
}
