import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import Users from "lucide-react/icons/users";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { Money } from "#app/components/formats/money-amount.tsx";
import { SearchForm } from "#app/components/forms/search-form.tsx";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { listCustomers } from "#app/orders/staff/customers/customer-admin.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const CUSTOMERS_PER_PAGE = 50;

export const meta: MetaFunction = () => [{ title: `Customers · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const search = searchParams.get("q")?.trim() ?? "";
  const rows = await listCustomers(context.db, { search, after: searchParams.get("after") }, CUSTOMERS_PER_PAGE);
  return { ...pageOf(rows, CUSTOMERS_PER_PAGE, ({ email }) => email), search };
}

export default function Customers() {
  const { rows, next, search } = useLoaderData<typeof loader>();
  return (
    <>
      <div className="flex flex-wrap items-start justify-between gap-4">
        <h1 className="text-2xl">Customers</h1>
        <SearchForm id="customer-search" search={search} placeholder="Name or email" />
      </div>
      <section aria-label="Customers" className="mt-6 overflow-clip rounded-md border border-line bg-raised">
        {rows.length === 0 ? (
          <EmptyState icon={Users} title="No matching customers">
            Search by the start of a name or email.
          </EmptyState>
        ) : (
          <Table
            label="Customers"
            head={
              <>
                <Th>Email</Th>
                <Th>Name</Th>
                <Th>Role</Th>
                <Th numeric>Balance</Th>
              </>
            }
          >
            {rows.map((person) => (
              <tr key={person.userId}>
                <Td>
                  <Link
                    to={`/admin/customers/${person.userId}`}
                    title={person.email}
                    className="block max-w-72 truncate leading-11 underline underline-offset-4 sm:leading-10"
                  >
                    {person.email}
                  </Link>
                </Td>
                <Td>
                  <span className="block max-w-48 truncate" title={person.fullName}>
                    {person.fullName}
                  </span>
                </Td>
                <Td>{person.role === "customer" ? "" : <Badge tone="active">{person.role}</Badge>}</Td>
                <Td numeric>
                  <Money micro={person.balance} />
                </Td>
              </tr>
            ))}
          </Table>
        )}
        <MoreLink name="after" next={next} />
      </section>
    </>
  );
}
