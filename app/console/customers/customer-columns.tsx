import { Money } from "#app/components/formats/money-amount.tsx";
import type { Column } from "#app/components/table/data-table.tsx";
import { CutText, RowLink, TimeCell } from "#app/components/table/row-cells.tsx";
import type { ListedCustomer } from "./customer-list.server.ts";
import { ROLE_NAMES } from "./customer-views.ts";

export const CUSTOMER_COLUMNS: Column<Omit<ListedCustomer, "rowId">>[] = [
  {
    name: "email",
    header: "Email",
    sort: "email",
    cell: ({ userId, email }) => (
      <RowLink to={`/admin/customers/${userId}`} title={email}>
        {email}
      </RowLink>
    ),
  },
  { name: "name", header: "Name", inCard: "text", sort: "name", cell: ({ fullName }) => <CutText>{fullName}</CutText> },
  { name: "role", header: "Role", inCard: "text", cell: ({ role }) => role !== "customer" && ROLE_NAMES[role] },
  {
    name: "tier",
    header: "Tier",
    inCard: "figure",
    cell: ({ tier }) => tier !== null && <CutText className="max-w-32">{tier}</CutText>,
  },
  {
    name: "created",
    header: "Joined",
    inCard: "figure",
    sort: "created",
    className: "text-muted",
    cell: ({ createdAt }) => <TimeCell at={createdAt} />,
  },
  {
    name: "spent",
    header: "Spent in 30 days",
    inCard: "figure",
    numeric: true,
    cell: ({ spent }) => <Money micro={spent} />,
  },
  {
    name: "owed",
    header: "Owes",
    inCard: "figure",
    numeric: true,
    className: "text-bad",
    cell: ({ owed }) => owed > 0 && <Money micro={owed} />,
  },
  {
    name: "balance",
    header: "Balance",
    inCard: "figure",
    numeric: true,
    cell: ({ balance }) => <Money micro={balance} />,
  },
];
