import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { type ShouldRevalidateFunction, useLoaderData, useSearchParams } from "@remix-run/react";
import { recordEvent } from "#app/accounts/events/security-events.server.ts";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { readVisit } from "#app/accounts/visit/visit.server.ts";
import { formatsOf } from "#app/components/formats/number-formats.ts";
import { describePage } from "#app/components/page/page-meta.ts";
import { requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readerLocale } from "#app/http/requests/reader-locale.ts";
import { SESSION_ENDED } from "#app/http/responses/session-ended.ts";
import { MAX_IDS_PER_CALL } from "#app/orders/api/api-schema.server.ts";
import { ApiBasics } from "#app/orders/api/docs/api-basics.tsx";
import { LANGUAGES } from "#app/orders/api/docs/code-samples.ts";
import { Contents } from "#app/orders/api/docs/docs-contents.tsx";
import { Section } from "#app/orders/api/docs/docs-section.tsx";
import { Operation } from "#app/orders/api/docs/documented-operation.tsx";
import { MarkedText } from "#app/orders/api/docs/marked-text.tsx";
import { openApiDocument } from "#app/orders/api/docs/openapi.server.ts";
import { referenceOf } from "#app/orders/api/docs/reference.server.ts";
import { ErrorCodes, OrderTypes } from "#app/orders/api/docs/reference-tables.tsx";
import { makeTestKey } from "#app/orders/api/docs/test-key.server.ts";
import { TestKeyProvider, type TestKeyResult } from "#app/orders/api/docs/test-key-box.tsx";
import { WebhookDocs } from "#app/orders/api/docs/webhook-docs.tsx";
import { WEBHOOK_LANGUAGES } from "#app/orders/api/docs/webhook-samples.ts";
import { PRODUCT_NAME } from "#app/product.ts";

// One page at two URLs; the canonical one is /api/docs.
export const meta: MetaFunction<typeof loader> = ({ data: shown, matches }) =>
  describePage(matches, {
    title: `API docs · ${PRODUCT_NAME}`,
    description: `${shown?.reference.description ?? ""} Examples in curl, JavaScript, Python and PHP.`,
    path: "/api/docs",
  });

/** Skips the loader when only the sample language changes. */
export const shouldRevalidate: ShouldRevalidateFunction = ({
  formMethod,
  currentUrl,
  nextUrl,
  defaultShouldRevalidate,
}) => (formMethod === undefined && currentUrl.pathname === nextUrl.pathname ? false : defaultShouldRevalidate);

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { origin } = new URL(request.url);
  const viewer = await readViewer(request, context);
  return {
    origin,
    reference: referenceOf(openApiDocument(origin)),
    signedIn: viewer !== null,
    // Formatted here, so that the page ships no number format.
    requestsPerMinute: formatsOf(readerLocale(request.headers.get("Accept-Language"))).number(
      Number(context.env.API_REQUESTS_PER_MINUTE),
    ),
    idsPerCall: MAX_IDS_PER_CALL,
  };
}

/** Creates a test key. Only at /docs/api: below /api/ the worker does not check for cross-site requests. */
export async function action({ request, context }: ActionFunctionArgs) {
  requireMethod(request, new URL(request.url).pathname.startsWith("/api/") ? ["GET"] : ["GET", "POST"]);
  const viewer = await readViewer(request, context);
  if (!viewer) return data(refused("Log in to create a test key."), { status: 401 });
  const made = await makeTestKey(context.db, context.env, viewer);
  if (made.ok) {
    const visit = await readVisit(context, request);
    recordEvent(context, visit, viewer.userId, "api_key_created", { key: "API docs" });
    return data<TestKeyResult>({ intent: "", ok: true, key: made.key }, { headers: { "Cache-Control": "no-store" } });
  }
  if (made.reason === "session_ended") return data(refused(SESSION_ENDED), { status: 401 });
  const result = refused("You've created several test keys this hour. Paste the last one, or try again later.");
  return data(result, { status: 429, headers: { "Retry-After": String(made.retryAfterSeconds) } });
}

function refused(message: string): TestKeyResult {
  return { intent: "", ok: false, message };
}

export default function ApiDocs() {
  const loaded = useLoaderData<typeof loader>();
  const { reference, origin } = loaded;
  const [params] = useSearchParams();
  const language = LANGUAGES.find((known) => known === params.get("lang")) ?? LANGUAGES[0];
  const webhookLanguage = WEBHOOK_LANGUAGES.find((known) => known === params.get("lang")) ?? language;
  const groups = [...new Set(reference.operations.map(({ group }) => group))];
  return (
    <TestKeyProvider>
      <div className="mx-auto flex w-full max-w-6xl flex-1 gap-10 px-4 sm:px-6">
        <Contents operations={reference.operations} />
        <main id="main" tabIndex={-1} className="min-w-0 flex-1 pb-16 outline-none">
          <div className="py-10">
            <h1 className="text-3xl">API docs</h1>
            <p className="mt-3 max-w-prose text-muted">
              <MarkedText text={reference.description} />
            </p>
            <p className="mt-3 text-sm text-muted">
              Version {reference.version} ·{" "}
              <a
                href="/api/openapi.json"
                className="inline-flex min-h-11 items-center underline underline-offset-4 sm:min-h-0"
              >
                OpenAPI document
              </a>
            </p>
          </div>
          <Contents operations={reference.operations} compact />
          <ApiBasics {...loaded} />
          {groups.map((group) => (
            <section key={group} aria-label={group}>
              <h2 className="border-t border-line pt-10 pb-2 text-xl">{group}</h2>
              {reference.operations
                .filter((operation) => operation.group === group)
                .map((operation) => (
                  <Operation key={operation.id} operation={operation} origin={origin} language={language} />
                ))}
            </section>
          ))}
          <WebhookDocs events={reference.webhooks} language={webhookLanguage} />
          <OrderTypes types={reference.orderTypes} />
          <ErrorCodes errors={reference.errors} />
          <Section id="changelog" title="Changelog">
            {reference.changelog.map((entry) => (
              <div key={entry.version}>
                <h3 className="text-sm">
                  {entry.version} <span className="font-normal text-muted">· {entry.date}</span>
                </h3>
                <ul className="mt-1 max-w-prose list-disc pl-5 text-muted">
                  {entry.changes.map((change) => (
                    <li key={change}>{change}</li>
                  ))}
                </ul>
              </div>
            ))}
          </Section>
        </main>
      </div>
    </TestKeyProvider>
  );
}
