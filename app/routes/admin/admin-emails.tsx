import type { ActionFunctionArgs, AppLoadContext, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useActionData, useLoaderData } from "@remix-run/react";
import MailCheck from "lucide-react/icons/mail-check";
import MailX from "lucide-react/icons/mail-x";
import { asStaff, requireRole } from "#app/accounts/session/viewer.server.ts";
import { SearchForm } from "#app/components/forms/search-form.tsx";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import {
  countEmails,
  findSuppressed,
  listFailedEmails,
  listSuppressed,
  listWaitingEmails,
  readSuppression,
} from "#app/email/email-admin.server.ts";
import { respondToForm } from "#app/form-response.server.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import { EmailCounts } from "#app/orders/staff/emails/email-counts.tsx";
import { EMAIL_VIEW_NAMES, EMAIL_VIEWS } from "#app/orders/staff/emails/email-names.ts";
import { EmailTable } from "#app/orders/staff/emails/email-table.tsx";
import { LiftSuppressionForm } from "#app/orders/staff/emails/lift-suppression-form.tsx";
import { submitSuppressionForm } from "#app/orders/staff/emails/suppression-form.server.ts";
import { SuppressionTable } from "#app/orders/staff/emails/suppression-table.tsx";
import { ViewTabs } from "#app/orders/staff/view-tabs.tsx";
import { PRODUCT_NAME } from "#app/product.ts";

const ROWS_PER_PAGE = 50;
const MAX_SEARCH_CHARACTERS = 254;

export const meta: MetaFunction = () => [{ title: `Emails · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const [counts, list] = await Promise.all([countEmails(context.db), readList(context, searchParams)]);
  return { counts, ...list };
}

async function readList({ db }: AppLoadContext, params: URLSearchParams) {
  const [, time, id] = /^(\d{1,15})\.([\w-]{1,64})$/.exec(params.get("from") ?? "") ?? [];
  const from = time && id ? { at: Number(time), id } : null;
  const view = EMAIL_VIEWS.find((known) => known === params.get("state")) ?? "failed";
  switch (view) {
    case "failed": {
      const rows = await listFailedEmails(db, from, ROWS_PER_PAGE);
      return { view, ...pageOf(rows, ROWS_PER_PAGE, (row) => `${row.createdAt}.${row.id}`) };
    }
    case "waiting": {
      const rows = await listWaitingEmails(db, from, ROWS_PER_PAGE);
      return { view, ...pageOf(rows, ROWS_PER_PAGE, (row) => `${row.nextAttemptAt}.${row.id}`) };
    }
    case "suppressed": {
      const search = (params.get("q") ?? "").trim().slice(0, MAX_SEARCH_CHARACTERS);
      const [rows, chosen] = await Promise.all([
        search === "" ? listSuppressed(db, from, ROWS_PER_PAGE) : findSuppressed(db, search, ROWS_PER_PAGE),
        readSuppression(db, params.get("remove") ?? ""),
      ]);
      const page = pageOf(rows, ROWS_PER_PAGE, (row) => `${row.createdAt}.${row.digest}`);
      return { view, ...page, search, chosen };
    }
    default:
      return view satisfies never;
  }
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const viewer = await requireRole(request, context, "admin");
  const { pathname } = new URL(request.url);
  return respondToForm(
    request,
    await asStaff(request, viewer, (actor) =>
      submitSuppressionForm(context.db, actor, form, `${pathname}?state=suppressed`),
    ),
  );
}

export default function Emails() {
  const loaded = useLoaderData<typeof loader>();
  const { counts, view, next } = loaded;
  return (
    <>
      <h1 className="text-2xl">Emails</h1>
      <p className="mt-1 max-w-prose text-sm text-muted">
        Emails to customers and visitors. Those that fail are sent again until they expire. Rows are kept for 30 days.
      </p>
      <div className="mt-6 flex flex-col gap-4">
        <EmailCounts counts={counts} />
        <ViewTabs
          label="Emails by status"
          views={EMAIL_VIEWS.map((state) => ({
            to: `?state=${state}`,
            label: EMAIL_VIEW_NAMES[state],
            current: state === view,
            count: state === "waiting" ? counts.waiting : undefined,
          }))}
        />
        {loaded.view === "suppressed" ? (
          <Suppressed {...loaded} />
        ) : (
          <Card title={EMAIL_VIEW_NAMES[view]} titleId="emails" flush>
            {loaded.rows.length === 0 ? (
              <EmptyState icon={MailCheck} title={view === "waiting" ? "No emails waiting" : "No failed emails"}>
                {view === "waiting"
                  ? "Emails are sent within seconds. They wait here while the email service is down."
                  : "Emails that were refused, returned or expired appear here."}
              </EmptyState>
            ) : (
              <EmailTable emails={loaded.rows} waiting={view === "waiting"} />
            )}
            <MoreLink name="from" next={next} />
          </Card>
        )}
      </div>
    </>
  );
}

type SuppressedList = Extract<ReturnType<typeof useLoaderData<typeof loader>>, { view: "suppressed" }>;

function Suppressed({ rows, next, search, chosen }: SuppressedList) {
  const result = useActionData<typeof action>() ?? null;
  const linkTo = (digest: string) =>
    `?${new URLSearchParams({ state: "suppressed", ...(search && { q: search }), remove: digest })}#lift`;
  return (
    <>
      <div className="flex">
        <SearchForm
          id="suppressed-search"
          search={search}
          placeholder="Start of an address"
          kept={{ state: "suppressed" }}
        />
      </div>
      {chosen && (
        <div className="max-w-3xl">
          <LiftSuppressionForm chosen={chosen} result={result} />
        </div>
      )}
      <Card title={EMAIL_VIEW_NAMES.suppressed} titleId="suppressed" flush>
        {rows.length === 0 ? (
          <EmptyState icon={MailX} title={search === "" ? "No suppressed addresses" : "No matching addresses"}>
            {search === ""
              ? "An address appears here after an email to it bounced, was reported as spam or was refused."
              : "Search by the start of an address."}
          </EmptyState>
        ) : (
          <SuppressionTable suppressions={rows} linkTo={linkTo} />
        )}
        {search === "" ? (
          <MoreLink name="from" next={next} />
        ) : (
          next !== null && (
            <p className="border-t border-line p-4 text-sm text-muted">
              More addresses match. Type more of the address.
            </p>
          )
        )}
      </Card>
    </>
  );
}
