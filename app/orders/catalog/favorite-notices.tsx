import { Form, useLocation } from "@remix-run/react";
import { Rate } from "#app/components/formats/money-amount.tsx";
import { Button } from "#app/components/ui/button.tsx";
import type { FavoriteNotice } from "./favorites.server.ts";

/** Lists what changed about the customer's favorites since they last looked, until they dismiss it. */
export function FavoriteNotices({ notices }: { notices: FavoriteNotice[] }) {
  const { search } = useLocation();
  if (notices.length === 0) return null;
  const seen = notices.map(({ id, usualRate }) => `${id}:${usualRate ?? "off"}`).join(",");
  return (
    <section
      aria-label="Changes of your favorites"
      className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md border border-line bg-raised px-4 py-3 text-sm"
    >
      <ul className="flex min-w-0 flex-1 flex-col gap-1">
        {notices.map((notice) => (
          <li key={notice.id} className="break-words">
            <NoticeText notice={notice} />
          </li>
        ))}
      </ul>
      <Form method="post" action="/dashboard/services/seen" preventScrollReset>
        <input type="hidden" name="seen" value={seen} />
        {/* The order that the page's URL carries stays in the form. */}
        <input type="hidden" name="search" value={search} />
        <Button type="submit" variant="quiet">
          Dismiss
        </Button>
      </Form>
    </section>
  );
}

function NoticeText({ notice: { name, rate, seenRate } }: { notice: FavoriteNotice }) {
  if (rate === null) return <>{name} went off sale.</>;
  if (seenRate === null) {
    return (
      <>
        {name} is on sale again at <Rate micro={rate} />.
      </>
    );
  }
  return (
    <>
      {name}: the price went {rate > seenRate ? "up" : "down"} from <Rate micro={seenRate} /> to <Rate micro={rate} />.
    </>
  );
}
