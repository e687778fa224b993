import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useActionData, useFetcher, useLoaderData } from "@remix-run/react";
import Megaphone from "lucide-react/icons/megaphone";
import { asStaff, requireRole } from "#app/accounts/session/viewer.server.ts";
import { BackLink } from "#app/components/navigation/back-link.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { ConfirmButton } from "#app/components/ui/confirm-button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { respondToForm } from "#app/form-response.server.ts";
import { parseId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { PRODUCT_NAME } from "#app/product.ts";
import { AnnouncementForm, LocalMoment } from "#app/site-settings/announcement-form.tsx";
import { readStaffAnnouncements } from "#app/site-settings/announcement-lists.server.ts";
import { submitAnnouncement } from "#app/site-settings/submit-announcement.server.ts";

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

export const meta: MetaFunction = () => [{ title: `Announcements · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const now = Date.now();
  const listed = await readStaffAnnouncements(context.db, now);
  const editedId = parseId(new URL(request.url).searchParams.get("edit"));
  const edited = listed.find(({ id }) => id === editedId) ?? null;
  const startsAt = Math.floor(now / 60_000) * 60_000;
  return { listed, edited, initial: { startsAt, endsAt: startsAt + DAY_MS }, once: crypto.randomUUID() };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireRole(request, context, "admin");
  const outcome = await asStaff(request, viewer, (actor) => submitAnnouncement(context.db, actor, form));
  context.forgetSiteState();
  return respondToForm(request, outcome);
}

export default function Announcements() {
  const { listed, edited, initial, once } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>() ?? null;
  return (
    <>
      <BackLink to="/admin/settings">Settings</BackLink>
      <h1 className="text-2xl">Announcements</h1>
      <p className="mt-1 max-w-prose text-sm text-muted">
        Of several banners that run at once, the one that started last is shown. Readers can dismiss it; a changed one
        shows again. Pages show a change within 10 seconds.
      </p>
      <div className="mt-6 flex max-w-3xl flex-col gap-6">
        <Card title={edited ? "Edit announcement" : "New announcement"} titleId="form">
          <AnnouncementForm edited={edited} initial={initial} once={once} result={result} />
        </Card>
        <Card title="All announcements" titleId="list" flush>
          {listed.length === 0 ? (
            <EmptyState icon={Megaphone} title="No announcements yet">
              What you schedule above appears here.
            </EmptyState>
          ) : (
            <ul>
              {listed.map((one) => (
                <AnnouncementItem key={one.id} announcement={one} />
              ))}
            </ul>
          )}
        </Card>
      </div>
    </>
  );
}

type Listed = Awaited<ReturnType<typeof loader>>["listed"][number];

const STATES = {
  running: ["good", "Running"],
  scheduled: ["active", "Scheduled"],
  ended: ["neutral", "Ended"],
} as const;
const SHOWN_TO = { everyone: "everyone", visitors: "visitors", customers: "customers" };

function AnnouncementItem({ announcement }: { announcement: Listed }) {
  const { id, version, kind, audience, body, link, linkLabel, startsAt, endsAt, state } = announcement;
  const [tone, text] = STATES[state];
  const sender = useFetcher<typeof action>();
  return (
    <li className="border-b border-line px-4 py-3 text-sm last:border-b-0 sm:px-5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={tone}>{text}</Badge>
        <span className="text-muted">{kind === "banner" ? `Banner for ${SHOWN_TO[audience]}` : "On Updates"}</span>
      </div>
      <p className="mt-2 break-words">{body}</p>
      {link && (
        <p className="mt-1 break-words text-muted">
          {linkLabel} → {link}
        </p>
      )}
      <p className="tabular mt-2 text-muted">
        <Moment at={startsAt} /> to <Moment at={endsAt} />
      </p>
      <div className="mt-2 flex items-center gap-4">
        <Link to={`?edit=${id}`} className="inline-flex h-11 items-center underline underline-offset-4 sm:h-9">
          Edit
        </Link>
        <ConfirmButton
          sender={sender}
          fields={{ intent: "delete", id: String(id), version: String(version) }}
          button="Delete"
          label={`Delete announcement ${id}`}
          variant="quiet"
          question="Delete this announcement?"
          description={body}
          confirm="Delete announcement"
        />
      </div>
    </li>
  );
}

function Moment({ at }: { at: number }) {
  const utc = new Date(at).toISOString();
  return (
    <time dateTime={utc}>
      {utc.slice(0, 16).replace("T", " ")} UTC (<LocalMoment at={at} />)
    </time>
  );
}
