import { useLocation } from "@remix-run/react";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { type ConsoleGroup, consolePageOf } from "./console-groups.ts";

/** Stands in for a page of the console that isn't there, with the way back to the list that it would belong to. */
export function ConsoleNotFound({ groups }: { groups: ConsoleGroup[] }) {
  const { pathname } = useLocation();
  const list = consolePageOf(groups, pathname) ?? groups[0]?.pages[0];
  return (
    <>
      <p className="font-mono text-sm text-muted">404</p>
      <h1 className="mt-1 text-2xl">Page not found</h1>
      <p className="mt-2 max-w-prose text-sm text-muted">
        There's nothing at this address. Check it for typos. What it led to may have been deleted.
      </p>
      {list && (
        <div className="mt-6">
          <ButtonLink to={list.to} variant="secondary">
            Go to {list.label}
          </ButtonLink>
        </div>
      )}
    </>
  );
}
