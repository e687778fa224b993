import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useFetcher, useLoaderData, useSearchParams } from "@remix-run/react";
import Megaphone from "lucide-react/icons/megaphone";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { ExactDate } from "#app/components/formats/exact-date.tsx";
import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { type Column, DataTable } from "#app/components/table/data-table.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { AnnouncementForm } from "#app/console/settings/announcement-form.tsx";
import { readStaffAnnouncements, type StaffAnnouncement } from "#app/console/settings/announcement-list.server.ts";
import { submitAnnouncement } from "#app/console/settings/submit-announcement.server.ts";
import { staffForm } from "#app/console/staff-action.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { DAY_MS } from "#app/time.ts";
import { ANNOUNCEMENT_WORDS } from "#app/words/announcement-words.ts";

export const meta: MetaFunction = () => [{ title: `Announcements · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const now = Date.now();
  const listed = await readStaffAnnouncements(context.db, new URL(request.url).searchParams, now);
  const startsAt = Math.floor(now / 60_000) * 60_000;
  return { ...listed, initial: { startsAt, endsAt: startsAt + DAY_MS }, once: crypto.randomUUID() };
}

export const action = staffForm({}, async ({ context, actor, form }) => {
  const outcome = await submitAnnouncement(context.db, actor, form);
  context.forgetSiteState();
  return outcome;
});

/** Reloads after a refusal: what the page shows, and the versions that its forms begin from, are then those that are saved. */
export const shouldRevalidate = reloadAfterConflict;

export default function Announcements() {
  const { rows, next, sort, sorts, form, initial, once } = useLoaderData<typeof loader>();
  const result = useActionResult<typeof action>() ?? null;
  return (
    <>
      <h1 className="text-2xl">Announcements</h1>
      <p className="mt-1 max-w-prose text-sm text-muted">
        If several banners run at once, the one that started last is shown. Readers can dismiss it; once changed, it
        shows again. Pages show a change within 10 seconds.
      </p>
      <div className="mt-6 flex flex-col gap-6">
        {result?.intent === "change" && !form && <Notice tone="bad">{result.message}</Notice>}
        <Card title={form ? "Edit announcement" : "New announcement"} titleId="form">
          <AnnouncementForm
            edited={form?.edited ?? null}
            edit={form?.edit ?? null}
            initial={initial}
            once={once}
            result={result}
          />
        </Card>
      </div>
      <section aria-label="All announcements" className="mt-6 min-w-0 rounded-md border border-line bg-raised">
        <DataTable
          label="All announcements"
          columns={COLUMNS}
          rows={rows}
          rowKey={({ id }) => id}
          state={{ sort, sorts, next }}
          empty={
            <EmptyState icon={Megaphone} title="No announcements yet">
              What you schedule above appears here.
            </EmptyState>
          }
        />
      </section>
    </>
  );
}

const STATES = {
  running: ["good", "Running"],
  scheduled: ["active", "Scheduled"],
  ended: ["neutral", "Ended"],
} as const;

const COLUMNS: Column<StaffAnnouncement>[] = [
  {
    name: "body",
    header: ANNOUNCEMENT_WORDS.body,
    className: "min-w-64 py-2",
    cell: ({ body, link, linkLabel }) => (
      <span className="block max-w-prose break-words">
        {body}
        {link && (
          <span className="mt-1 block text-muted">
            {linkLabel} → {link}
          </span>
        )}
      </span>
    ),
  },
  {
    name: "state",
    header: "State",
    cell: ({ state }) => <Badge tone={STATES[state][0]}>{STATES[state][1]}</Badge>,
  },
  {
    name: "kind",
    header: ANNOUNCEMENT_WORDS.kind.label,
    className: "text-muted",
    cell: ({ kind }) => ANNOUNCEMENT_WORDS.kind.values[kind],
  },
  {
    name: "audience",
    header: ANNOUNCEMENT_WORDS.audience.label,
    className: "text-muted",
    // Updates are for everyone, whatever the form said.
    cell: ({ kind, audience }) => ANNOUNCEMENT_WORDS.audience.values[kind === "update" ? "everyone" : audience],
  },
  {
    name: "time",
    header: "From and until",
    className: "tabular py-2 text-muted max-md:col-span-full",
    cell: ({ startsAt, endsAt }) => (
      <>
        <ExactDate at={startsAt} /> to <ExactDate at={endsAt} />
      </>
    ),
  },
  { name: "actions", header: "Actions", isAction: true, cell: (row) => <Actions announcement={row} /> },
];

function Actions({ announcement: { id, version, body } }: { announcement: StaffAnnouncement }) {
  const sender = useFetcher<typeof action>();
  const [params] = useSearchParams();
  const edit = new URLSearchParams(params);
  edit.set("edit", String(id));
  return (
    <>
      <span className="flex items-center gap-4 md:justify-end">
        <Link
          to={`?${edit}`}
          aria-label={`Edit announcement ${id}`}
          className="inline-flex h-11 items-center underline underline-offset-4 sm:h-9"
        >
          Edit
        </Link>
        <ConfirmButton
          asksIdentity
          sender={sender}
          fields={{ intent: "delete", id: String(id), version: String(version) }}
          button="Delete"
          label={`Delete announcement ${id}`}
          variant="quiet"
          question="Delete this announcement?"
          description={body}
          confirm="Delete announcement"
        />
      </span>
      {sender.data?.ok === false && <Notice tone="bad">{sender.data.message}</Notice>}
    </>
  );
}
