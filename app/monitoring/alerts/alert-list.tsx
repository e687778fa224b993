import { Link } from "@remix-run/react";
import { RelativeDate } from "#app/components/formats/relative-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import type { ShownAlert } from "./shown-alerts.server.ts";

const SHOWN_BRIEFLY = 5;

/** Open alerts, one a line. What they mean and what to do is on the page of the system. */
export function BriefAlertList({ alerts }: { alerts: ShownAlert[] }) {
  const more = alerts.length - SHOWN_BRIEFLY;
  return (
    <>
      <ul className="divide-y divide-line">
        {alerts.slice(0, SHOWN_BRIEFLY).map(({ id, title, path, openedAt, clearSince }) => (
          <li key={id} className="flex items-center gap-3 px-4 py-1 text-sm sm:px-5 sm:py-0">
            {clearSince !== null ? <Badge tone="active">Seems over</Badge> : <Badge tone="bad">Open</Badge>}
            <Link
              to={path}
              className="flex min-h-11 min-w-0 items-center underline underline-offset-4 sm:min-h-10 sm:truncate"
            >
              {title}
            </Link>
            <span className="ml-auto text-muted max-sm:hidden">
              <RelativeDate at={openedAt} />
            </span>
          </li>
        ))}
      </ul>
      <p className="border-t border-line px-4 text-sm sm:px-5">
        <Link to="/admin/system" className="flex min-h-11 items-center underline underline-offset-4">
          {more > 0 ? `${more} more, and what to do` : "What to do"}
        </Link>
      </p>
    </>
  );
}

/** Alerts with what to do about them, or only what they were about once they are over. */
export function AlertList({ alerts }: { alerts: ShownAlert[] }) {
  return (
    <ul className="divide-y divide-line">
      {alerts.map(({ id, title, happened, todo, path, openedAt, clearSince, closedAt }) => (
        <li key={id} className="flex flex-col gap-2 p-4 text-sm sm:p-5">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
            {closedAt !== null ? (
              <Badge tone="good">Over</Badge>
            ) : clearSince !== null ? (
              <Badge tone="active">Seems over</Badge>
            ) : (
              <Badge tone="bad">Open</Badge>
            )}
            <h3 className="min-w-0 font-medium break-words">{title}</h3>
            <span className="text-muted">
              <RelativeDate at={openedAt} />
              {closedAt !== null && clearSince !== null && (
                <>
                  {" "}
                  to <RelativeDate at={clearSince} />
                </>
              )}
            </span>
          </div>
          <p className="max-w-prose break-words text-muted">{happened}</p>
          {closedAt === null && (
            <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
              <p className="max-w-prose">{todo}</p>
              <ButtonLink to={path} variant="secondary">
                Open the page
              </ButtonLink>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}
