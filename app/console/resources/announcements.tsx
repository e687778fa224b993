import Megaphone from "lucide-react/icons/megaphone";
import { ExactDate } from "#app/components/formats/exact-date.tsx";
import { Badge } from "#app/components/ui/badge.tsx";
import type { announcements } from "#app/db/schema.server.ts";
import { DAY_MS } from "#app/time.ts";
import type { Fields } from "../resource/fields.ts";
import type { Resource } from "../resource/resource.ts";

/** Without who changed it, and when. */
export type Announcement = Omit<typeof announcements.$inferSelect, "changedBy" | "changedAt">;

export const ANNOUNCEMENT_FIELDS = {
  kind: {
    ...{ kind: "choice", label: "Shown as", initial: "banner" },
    values: { banner: "Banner above every page", update: "Entry on the Updates page" },
  },
  audience: {
    ...{
      kind: "choice",
      label: "Shown to",
      initial: "everyone",
      help: "Entries on the Updates page are for everyone.",
    },
    values: { everyone: "Everyone", visitors: "People who aren't logged in", customers: "Logged-in customers" },
  },
  body: { kind: "text", label: "Text", max: 300, rows: 2, help: "Plain text, one line, up to 300 characters." },
  link: {
    ...{ kind: "line", label: "Link", max: 500, optional: true },
    help: "A path like /services, or an https address.",
  },
  linkLabel: { kind: "line", label: "Link text", max: 60, optional: true },
  startsAt: { kind: "moment", fromNow: 0, label: "From (UTC)", logged: "from" },
  endsAt: { kind: "moment", fromNow: DAY_MS, label: "Until (UTC)", logged: "until" },
} as const satisfies Fields;

declare module "../resource/resource.ts" {
  interface ResourceTypes {
    announcement: true;
  }
}

const ANNOUNCEMENTS: Resource<Announcement> = {
  type: "announcement",
  page: { name: "announcements", label: "Announcements", follows: "/admin/tiers" },
  noun: "an announcement",
  intro:
    "If several banners run at once, the one that started last is shown. Readers can dismiss it; once changed, it shows again. Pages show a change within 10 seconds.",
  icon: Megaphone,
  called: (body) => `the announcement “${body}”`,
  nameField: "body",
  once: true,
  fields: ANNOUNCEMENT_FIELDS,
  form: { new: "New announcement", add: "Schedule announcement", save: "Save announcement", isAbove: true },
  empty: { title: "No announcements yet", text: "What you schedule above appears here." },
  columns: () => [
    {
      ...{ name: "body", header: ANNOUNCEMENT_FIELDS.body.label, className: "min-w-64" },
      cell: ({ body }) => <span className="block py-2 leading-normal break-words whitespace-normal">{body}</span>,
      under: ({ link, linkLabel }) => link !== null && `${linkLabel} → ${link}`,
    },
    { name: "state", header: "State", cell: (one, { now }) => <State announcement={one} now={now} /> },
    {
      ...{ name: "kind", header: ANNOUNCEMENT_FIELDS.kind.label, className: "text-muted" },
      cell: ({ kind }) => ANNOUNCEMENT_FIELDS.kind.values[kind],
    },
    {
      ...{ name: "audience", header: ANNOUNCEMENT_FIELDS.audience.label, className: "text-muted" },
      // Updates are for everyone, whatever the form said.
      cell: ({ kind, audience }) => ANNOUNCEMENT_FIELDS.audience.values[kind === "update" ? "everyone" : audience],
    },
    {
      ...{ name: "time", header: "From and until", className: "tabular py-2 text-muted max-md:col-span-full" },
      cell: ({ startsAt, endsAt }) => (
        <>
          <ExactDate at={startsAt} /> to <ExactDate at={endsAt} />
        </>
      ),
    },
  ],
  actions: {
    delete: {
      label: "Delete",
      named: ({ id }) => `Delete announcement ${id}`,
      confirm: { question: "Delete this announcement?", about: ({ body }) => body, button: "Delete announcement" },
    },
  },
  sentences: {
    create: (e) => ["created ", e.subject, e.skip("body")],
    delete: (e) => ["deleted ", e.subject, e.skip("body")],
  },
};
export default ANNOUNCEMENTS;

function State({ announcement: { startsAt, endsAt }, now }: { announcement: Announcement; now: number }) {
  if (endsAt <= now) return <Badge tone="neutral">Ended</Badge>;
  return startsAt > now ? <Badge tone="active">Scheduled</Badge> : <Badge tone="good">Running</Badge>;
}
