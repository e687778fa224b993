import { Link } from "@remix-run/react";
import ScrollText from "lucide-react/icons/scroll-text";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import type { Formats } from "#app/components/formats/number-formats.ts";
import type { Column } from "#app/components/table/data-table.tsx";
import { TimeCell } from "#app/components/table/row-cells.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { AUDIT_MONEY_FIELDS, AUDIT_TIME_FIELDS } from "#app/orders/rules/audit-detail.ts";

export type AuditRow = {
  id: number;
  actorId: string;
  actorName: string;
  action: string;
  subjectType: string;
  subjectId: string;
  detail: Record<string, unknown>;
  createdAt: number;
};

const ACTIONS: Record<string, string> = {
  "order.status": "Set the status",
  "order.refund": "Refunded",
  "order.held_accepted": "Resolved as accepted",
  "order.held_refused": "Resolved as not accepted, refunded",
  "order.held_again": "Sent again",
  "order.refill": "Updated a refill",
  "order.cancel_accept": "Accepted the cancellation",
  "order.cancel_reject": "Rejected the cancellation",
  "service.create": "Created",
  "service.change": "Changed",
  "services.change": "Changed together",
  "service.enable": "Put on sale",
  "service.disable": "Taken off sale",
  "provider.add": "Added",
  "provider.change": "Changed",
  "provider.import": "Imported the catalog",
  "provider.sync": "Compared the catalog",
  "price_rule.add": "Added a price rule",
  "price_rule.change": "Changed a price rule",
  "price_rule.remove": "Removed a price rule",
  "quarantine.take": "Took the provider's new prices",
  "quarantine.keep": "Kept our rates",
  "quarantine.off": "Kept services off sale",
  "customer.credit": "Credited",
  "customer.debit": "Debited",
  "customer.reversal": "Debited a reversed card payment",
  "customer.reversal_undone": "Credited a reversed card payment back",
  "customer.end_sessions": "Logged out all devices",
  "customer.suspend": "Suspended",
  "customer.reactivate": "Reactivated",
  "customer.role": "Changed the role",
  "customer.remove_factors": "Removed the two-step login",
  "customer.send_setup_link": "Sent a new setup link",
  "customer.payment_accept": "Credited a payment in review",
  "customer.payment_refuse": "Refused a payment in review",
  "codes.create": "Created codes",
  "codes.disable": "Disabled",
  "conversation.assign": "Assigned",
  "conversation.tags": "Tagged",
  "conversation.note": "Added a note",
  "conversation.block": "Blocked",
  "conversation.unblock": "Unblocked",
  "conversation.snooze": "Snoozed",
  "conversation.wake": "Woken",
  "conversation.close": "Closed",
  "conversation.reopen": "Reopened",
  "reply.create": "Created a saved reply",
  "reply.change": "Changed a saved reply",
  "reply.delete": "Deleted a saved reply",
  "email.allow": "Allowed a suppressed address again",
  "settings.change": "Changed the support settings",
  "setting.change": "Changed a setting",
  "announcement.create": "Created an announcement",
  "announcement.change": "Changed an announcement",
  "announcement.delete": "Deleted an announcement",
};

const SUBJECT_PAGES: Record<string, string> = {
  order: "/admin/orders/",
  service: "/admin/services/",
  provider: "/admin/providers/",
  customer: "/admin/customers/",
  codes: "/admin/codes/",
  conversation: "/admin/support/",
};

/** Returns the name of an action with what it is done to: "Refunded (order)". */
export function actionName(action: string): string {
  const name = ACTIONS[action];
  return name === undefined ? action : `${name} (${action.split(".")[0]?.replaceAll("_", " ")})`;
}

/** Shows what staff did to one subject. */
export function AuditList({ entries }: { entries: AuditRow[] }) {
  if (entries.length === 0) return <NoAuditEntries />;
  const columns = AUDIT_COLUMNS.filter(({ name }) => name !== "subject");
  return (
    <Table label="Audit log" head={columns.map(({ name, header }) => <Th key={name}>{header}</Th>)}>
      {entries.map((entry) => (
        <tr key={entry.id}>
          {columns.map(({ name, cell, className = "" }) => (
            <Td key={name} className={className}>
              {cell(entry)}
            </Td>
          ))}
        </tr>
      ))}
    </Table>
  );
}

/** `hasMore`: the entries before those that were looked through are on the next page. */
export function NoAuditEntries({ hasMore = false }: { hasMore?: boolean }) {
  if (hasMore) {
    return (
      <EmptyState icon={ScrollText} title="Nothing found yet">
        Such entries are rare. The next page looks through the ones that follow.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={ScrollText} title="No activity yet">
      Staff actions appear here with who, when and why.
    </EmptyState>
  );
}

export const AUDIT_COLUMNS: Column<AuditRow>[] = [
  {
    name: "created",
    header: "Date",
    sort: "created",
    className: "text-muted",
    cell: ({ createdAt }) => <TimeCell at={createdAt} />,
  },
  {
    name: "actor",
    header: "Staff member",
    className: "whitespace-nowrap",
    cell: ({ actorName }) => actorName || "Deleted account",
  },
  {
    name: "action",
    header: "Action",
    className: "whitespace-nowrap",
    cell: ({ action }) => ACTIONS[action] ?? action,
  },
  { name: "subject", header: "Subject", cell: (entry) => <Subject entry={entry} /> },
  {
    name: "details",
    header: "Details",
    className: "min-w-64 py-2 max-md:col-span-2",
    cell: ({ id, action, detail }) => (
      <>
        <Details detail={detail} />
        {action === "services.change" && (
          <Link to={`/admin/services/changes/${id}`} className="underline underline-offset-4">
            Show or undo
          </Link>
        )}
      </>
    ),
  },
];

function Subject({ entry }: { entry: AuditRow }) {
  const { subjectType, subjectId } = entry;
  const label = subjectId.length > 12 ? `${subjectType} ${subjectId.slice(0, 8)}…` : `${subjectType} ${subjectId}`;
  const page = SUBJECT_PAGES[subjectType];
  if (page === undefined || subjectId === "several" || subjectId.startsWith("deleted-")) {
    return <span className="whitespace-nowrap">{label}</span>;
  }
  return (
    <Link
      to={page + subjectId}
      title={subjectId}
      data-row-link
      className="whitespace-nowrap underline underline-offset-4"
    >
      {label}
    </Link>
  );
}

function Details({ detail }: { detail: Record<string, unknown> }) {
  const formats = useFormats();
  const { reason, ...rest } = detail;
  const fields = Object.entries(rest).map(([name, value]) => `${name}: ${changeText(name, value, formats)}`);
  return (
    <span className="block max-w-prose break-words text-muted">
      {fields.join("; ")}
      {typeof reason === "string" && reason !== "" && <span className="block text-text">“{reason}”</span>}
    </span>
  );
}

function changeText(name: string, value: unknown, formats: Formats): string {
  if (Array.isArray(value) && value.length === 2 && name !== "services") {
    return `${valueText(name, value[0], formats)} → ${valueText(name, value[1], formats)}`;
  }
  return Array.isArray(value) ? value.join(", ") : valueText(name, value, formats);
}

function valueText(name: string, value: unknown, { exactMoney }: Formats): string {
  if (AUDIT_MONEY_FIELDS.has(name) && typeof value === "number") return exactMoney(value);
  if (AUDIT_TIME_FIELDS.has(name) && typeof value === "number") return new Date(value).toISOString().slice(0, 10);
  if (name === "rates" && typeof value === "number") return `${value} changed`;
  if (typeof value === "object" && value !== null) return `${Object.keys(value).length} changed`;
  return value === null || value === "" ? "none" : String(value);
}
