import { Link } from "@remix-run/react";

type Found = {
  byId: boolean;
  byLink: boolean;
  byReference: boolean;
  customers: string[];
  hasMoreCustomers: boolean;
};

/** Says by what a search found its orders, with a link to those of each customer. */
export function FoundByText({ found, search }: { found: Found; search: string }) {
  const { byId, byLink, byReference, customers, hasMoreCustomers } = found;
  const ways = [
    byId && "with this ID, here or at a provider",
    byLink && "with this link",
    byReference && "with this reference",
    customers.length > 0 && "of",
  ].filter((way) => way !== false);
  return (
    <p className="text-sm text-muted">
      <b className="font-medium break-all text-text">{search}</b>: orders {ways.join(", or ")}{" "}
      {customers.map((email, index) => (
        <span key={email}>
          {index > 0 && ", "}
          <Link to={`?${new URLSearchParams({ q: email })}`} className="underline underline-offset-4 hover:text-text">
            {email}
          </Link>
        </span>
      ))}
      {hasMoreCustomers && " and more customers: type more of the name or email"}.{" "}
      <Link to="/admin/orders" className="underline underline-offset-4 hover:text-text">
        All orders
      </Link>
    </p>
  );
}
