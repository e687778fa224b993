import type { AppLoadContext, LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { useLoaderData, useSearchParams } from "@remix-run/react";
import MailCheck from "lucide-react/icons/mail-check";
import MailX from "lucide-react/icons/mail-x";
import { requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { reloadAfterConflict } from "#app/components/forms/reload-after-conflict.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { DataTable } from "#app/components/table/data-table.tsx";
import { ListFilters } from "#app/components/table/list-filters.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { staffForm } from "#app/console/staff-action.server.ts";
import { EmailCounts } from "#app/console/system/email-counts.tsx";
import { EMAIL_VIEW_NAMES, EMAIL_VIEWS, readAddressSearch } from "#app/console/system/email-names.ts";
import { emailColumns } from "#app/console/system/email-table.tsx";
import { LiftSuppressionForm } from "#app/console/system/lift-suppression-form.tsx";
import { submitSuppressionForm } from "#app/console/system/suppression-form.server.ts";
import { suppressionColumns } from "#app/console/system/suppression-table.tsx";
import { ViewTabs } from "#app/console/view-tabs.tsx";
import {
  countEmails,
  findSuppressed,
  listFailedEmails,
  listSuppressed,
  listWaitingEmails,
  readEmailQuery,
  readSuppression,
} from "#app/email/email-admin.server.ts";
import { readCursor } from "#app/http/lists/list-query.ts";
import { oneOf } from "#app/http/requests/query-params.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const ROWS_PER_PAGE = 50;

export const meta: MetaFunction = () => [{ title: `Emails · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const [counts, list] = await Promise.all([countEmails(context.db), readList(context, searchParams)]);
  return { counts, ...list };
}

async function readList({ db }: AppLoadContext, params: URLSearchParams) {
  const view = oneOf(EMAIL_VIEWS, params.get("state"));
  const after = readCursor(params);
  const { between, ...query } = readEmailQuery(params, view === "waiting");
  if (view !== "suppressed") {
    const list = view === "waiting" ? listWaitingEmails : listFailedEmails;
    return { ...query, view, ...(await list(db, { ...query, between }, after, ROWS_PER_PAGE)) };
  }
  const search = readAddressSearch(params);
  const [page, chosen] = await Promise.all([
    search === ""
      ? listSuppressed(db, { ...query, between }, after, ROWS_PER_PAGE)
      : findSuppressed(db, search, ROWS_PER_PAGE).then((rows) => ({ rows, next: null })),
    readSuppression(db, params.get("remove") ?? ""),
  ]);
  // Search results are in alphabetical order.
  const sorts = search === "" ? query.sorts : [];
  return { ...query, sorts, view, search, chosen, ...page };
}

export const action = staffForm({ withoutProof: true }, ({ context, request, actor, form }) =>
  submitSuppressionForm(context.db, actor, form, `${new URL(request.url).pathname}?state=suppressed`),
);

/** Reloads after a refusal, so that the form has the suppression as it is. */
export const shouldRevalidate = reloadAfterConflict;

export default function Emails() {
  const loaded = useLoaderData<typeof loader>();
  const { counts, view, days } = loaded;
  const formats = useFormats();
  const hasDays = days.from !== "" || days.to !== "";
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
            <DataTable
              label="Emails"
              columns={emailColumns(formats, view === "waiting")}
              rows={loaded.rows}
              rowKey={({ id }) => id}
              state={loaded}
              filters={
                view === "failed" && (
                  <ListFilters
                    id="emails"
                    days={days}
                    kept={{ state: view }}
                    clearTo={hasDays ? `?state=${view}` : null}
                  />
                )
              }
              exportTo="/admin/exports/emails"
              empty={
                <EmptyState icon={MailCheck} title={view === "waiting" ? "No emails waiting" : "No failed emails"}>
                  {view === "waiting"
                    ? "Emails are sent within seconds. They wait here while the email service is down."
                    : "Emails that were refused, returned or expired appear here."}
                </EmptyState>
              }
            />
          </Card>
        )}
      </div>
    </>
  );
}

type SuppressedList = Extract<ReturnType<typeof useLoaderData<typeof loader>>, { view: "suppressed" }>;

function Suppressed({ search, chosen, days, ...list }: SuppressedList) {
  const result = useActionResult<typeof action>() ?? null;
  const [params] = useSearchParams();
  const linkTo = (digest: string) => {
    const changed = new URLSearchParams(params);
    changed.set("remove", digest);
    return `?${changed}#lift`;
  };
  const isFiltered = search !== "" || days.from !== "" || days.to !== "";
  return (
    <>
      {chosen && (
        <div className="max-w-3xl">
          <LiftSuppressionForm chosen={chosen} result={result} />
        </div>
      )}
      <Card title={EMAIL_VIEW_NAMES.suppressed} titleId="suppressed" flush>
        <DataTable
          label="Suppressed addresses"
          columns={suppressionColumns(linkTo)}
          rows={list.rows}
          rowKey={({ digest }) => digest}
          state={list}
          filters={
            <ListFilters
              id="suppressed"
              search={{ value: search, label: "Search", placeholder: "Start of an address" }}
              days={days}
              kept={{ state: "suppressed" }}
              clearTo={isFiltered ? "?state=suppressed" : null}
            />
          }
          exportTo="/admin/exports/emails"
          empty={
            <EmptyState icon={MailX} title={isFiltered ? "No matching addresses" : "No suppressed addresses"}>
              {isFiltered
                ? "Search by the start of an address, or choose other days."
                : "An address appears here after an email to it bounced, was reported as spam or was refused."}
            </EmptyState>
          }
          footer={
            search !== "" && list.rows.length >= ROWS_PER_PAGE && "More addresses may match. Type more of the address."
          }
        />
      </Card>
    </>
  );
}
