import { Link } from "@remix-run/react";

/** A link above a page's heading, back to the list that the page belongs to. */
export function BackLink({ to, children }: { to: string; children: string }) {
  return (
    <p className="text-sm text-muted">
      <Link to={to} className="inline-flex h-11 items-center underline underline-offset-4 hover:text-text sm:h-6">
        {children}
      </Link>
    </p>
  );
}
