import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";

/** The link of a row, which Enter opens. What is too long is cut; its whole text is on hover. */
export function RowLink({ to, title, children }: { to: string; title?: string; children: ReactNode }) {
  return (
    <Link to={to} title={title} data-row-link className="row-link">
      {children}
    </Link>
  );
}

/** A date with its exact time on hover. The exact time also shows on a tap, and while the row has the focus. */
export function TimeCell({ at }: { at: number }) {
  return (
    <span tabIndex={-1} className="exact-time">
      <RelativeDate at={at} />
    </span>
  );
}

/** A text in one line. What is too long is cut; its whole text is on hover. */
export function CutText({ children, className = "max-w-64" }: { children: string; className?: string }) {
  return (
    <span title={children} className={`block truncate max-md:max-w-full ${className}`}>
      {children}
    </span>
  );
}
