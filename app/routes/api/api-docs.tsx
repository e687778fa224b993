import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { type ShouldRevalidateFunction, useLoaderData, useSearchParams } from "@remix-run/react";
import { readViewer } from "#app/accounts/session/viewer.server.ts";
import { formatsOf } from "#app/components/formats/number-formats.ts";
import { describePage } from "#app/components/page/page-meta.ts";
import { requireMethod } from "#app/http/requests/allowed-methods.ts";
import { readerLocale } from "#app/http/requests/reader-locale.ts";
import { listApiKeys } from "#app/orders/api/api-keys.server.ts";
import { MAX_IDS_A_CALL } from "#app/orders/api/api-schema.server.ts";
import { CodeBlock } from "#app/orders/api/docs/code-block.tsx";
import { LANGUAGES } from "#app/orders/api/docs/code-samples.ts";
import { Contents } from "#app/orders/api/docs/contents.tsx";
import { Section } from "#app/orders/api/docs/docs-section.tsx";
import { MarkedText } from "#app/orders/api/docs/marked-text.tsx";
import { Operation } from "#app/orders/api/docs/operation.tsx";
import { type Reference, referenceOf } from "#app/orders/api/docs/reference.server.ts";
import { makeTestKey } from "#app/orders/api/docs/test-key.server.ts";
import { type TestKeyAnswer, TestKeyBox, TestKeyProvider } from "#app/orders/api/docs/test-key-box.tsx";
import { openApiDocument } from "#app/orders/api/openapi.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const NO_KEY = "gl_live_YOUR_KEY";

// One page at two addresses.
export const meta: MetaFunction<typeof loader> = ({ data: shown, matches }) =>
  describePage(matches, {
    title: `API documentation · ${PRODUCT_NAME}`,
    description: `${shown?.reference.description ?? ""} Examples in curl, JavaScript, Python and PHP.`,
    path: "/api/docs",
  });

/** Choosing a language is drawn from what is here. */
export const shouldRevalidate: ShouldRevalidateFunction = ({
  formMethod,
  currentUrl,
  nextUrl,
  defaultShouldRevalidate,
}) => (formMethod === undefined && currentUrl.pathname === nextUrl.pathname ? false : defaultShouldRevalidate);

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { origin } = new URL(request.url);
  const viewer = await readViewer(request, context);
  const [newest] = viewer ? await listApiKeys(context.db, viewer.userId) : [];
  return {
    origin,
    reference: referenceOf(openApiDocument(origin)),
    signedIn: viewer !== null,
    apiKey: newest ? `${newest.prefix}…` : NO_KEY,
    hasKey: newest !== undefined,
    // Written here, so that the page needs no format of its own.
    requestsPerMinute: formatsOf(readerLocale(request.headers.get("Accept-Language"))).number(
      Number(context.env.API_REQUESTS_PER_MINUTE),
    ),
    idsPerCall: MAX_IDS_A_CALL,
  };
}

/** Makes a test key. Only at /docs/api: below /api/ the worker does not check where a write comes from. */
export async function action({ request, context }: ActionFunctionArgs) {
  requireMethod(request, new URL(request.url).pathname.startsWith("/api/") ? ["GET"] : ["GET", "POST"]);
  const viewer = await readViewer(request, context);
  if (!viewer) return data<TestKeyAnswer>({ error: "Log in to make a test key." }, { status: 401 });
  const made = await makeTestKey(context.db, viewer.userId);
  if (made.ok) return data<TestKeyAnswer>({ key: made.key }, { headers: { "Cache-Control": "no-store" } });
  const error = "You have made many test keys this hour. Paste one of them.";
  return data<TestKeyAnswer>({ error }, { status: 429, headers: { "Retry-After": String(made.retryAfterSeconds) } });
}

export default function ApiDocs() {
  const loaded = useLoaderData<typeof loader>();
  const { reference, origin, apiKey } = loaded;
  const [params] = useSearchParams();
  const language = LANGUAGES.find((known) => known === params.get("lang")) ?? LANGUAGES[0];
  const groups = [...new Set(reference.operations.map(({ group }) => group))];
  return (
    <TestKeyProvider>
      <div className="mx-auto flex w-full max-w-6xl flex-1 gap-10 px-4 sm:px-6">
        <Contents operations={reference.operations} />
        <main id="main" tabIndex={-1} className="min-w-0 flex-1 pb-16 outline-none">
          <div className="py-10">
            <h1 className="text-3xl">API documentation</h1>
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
          <Basics loaded={loaded} />
          {groups.map((group) => (
            <section key={group} aria-label={group}>
              <h2 className="border-t border-line pt-10 pb-2 text-xl">{group}</h2>
              {reference.operations
                .filter((operation) => operation.group === group)
                .map((operation) => (
                  <Operation
                    key={operation.id}
                    operation={operation}
                    origin={origin}
                    apiKey={apiKey}
                    language={language}
                  />
                ))}
            </section>
          ))}
          <OrderTypes types={reference.orderTypes} />
          <Errors errors={reference.errors} />
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

function Basics({ loaded }: { loaded: ReturnType<typeof useLoaderData<typeof loader>> }) {
  const { reference, origin, apiKey, hasKey, signedIn, requestsPerMinute, idsPerCall } = loaded;
  return (
    <>
      <Section id="authentication" title="Authentication">
        <p>
          <MarkedText text={reference.keyDescription} />{" "}
          {hasKey
            ? "The samples carry the first characters of your newest key: put the rest in."
            : "The samples carry a placeholder: put your key in its place."}
        </p>
        <CodeBlock title="Header" code={`Authorization: Bearer ${apiKey}`} copy />
        <p>
          A key has the scope <code className="font-mono">read</code>, <code className="font-mono">order</code> or both.
          Live keys begin with <code className="font-mono">gl_live_</code>, test keys with{" "}
          <code className="font-mono">gl_test_</code>. Revoked keys are refused at once; a key that another took over
          works for a day more.
        </p>
        <p>
          All addresses are below <code className="font-mono">{origin}</code>.
        </p>
      </Section>
      <Section id="test-key" title="Test keys">
        <p>
          A test key answers like a live one, and never charges and never sends anything. Its orders play their way from
          Pending to Completed within seconds, and only test keys see them. One made here works for a day.
        </p>
        <div className="max-w-prose rounded-md border border-line bg-raised p-4">
          <TestKeyBox signedIn={signedIn} />
        </div>
      </Section>
      <Section id="idempotency" title="Idempotency">
        <p>
          A connection may break after an order was placed and before you heard of it. Send a key of your own with each
          order, in the header <code className="font-mono">Idempotency-Key</code> or, on the panel routes, as the field{" "}
          <code className="font-mono">request_id</code>, and send the very same request again when in doubt.
        </p>
        <ul className="max-w-prose list-disc pl-5">
          <li>
            The same key with the same content is one order, and is answered as the first time, for at least 24 hours.
          </li>
          <li>
            A replayed answer of <code className="font-mono">/api/v1/create_order</code> carries{" "}
            <code className="font-mono">Idempotent-Replayed: true</code>.
          </li>
          <li>
            The same key with other content is refused:{" "}
            <a href="#idempotency_conflict" className="underline underline-offset-4">
              idempotency_conflict
            </a>
            .
          </li>
          <li>Without a key every request is an order of its own, even if the content is the same.</li>
        </ul>
      </Section>
      <Section id="limits" title="Limits">
        <p>
          {requestsPerMinute} requests a minute for each key, up to {idsPerCall} ids in one call, and 1 MB for a
          request. Beyond the limit the answer is 429, and <code className="font-mono">Retry-After</code> says how many
          seconds to wait. Every answer carries:
        </p>
        <dl className="max-w-prose divide-y divide-line">
          {reference.headers.map((header) => (
            <div key={header.name} className="py-2">
              <dt className="font-mono">{header.name}</dt>
              <dd className="text-muted">{header.description}</dd>
            </div>
          ))}
        </dl>
      </Section>
      <Section id="statuses" title="Statuses of an order">
        <p>
          <code className="font-mono">{reference.statuses.join(" · ")}</code>
        </p>
        <p>
          The last three are final. Partial and Canceled give back the charge for what was not delivered (
          <code className="font-mono">remains</code>), once.
        </p>
      </Section>
    </>
  );
}

function OrderTypes({ types }: { types: Reference["orderTypes"] }) {
  return (
    <Section id="order-types" title="Types of service">
      <p>
        What an order needs beside <code className="font-mono">service</code>. A question mark means optional. Lists are
        sent as lines or as a JSON array.
      </p>
      <dl className="divide-y divide-line">
        {types.map(({ type, fields }) => (
          <div key={type} className="grid gap-x-4 py-2 sm:grid-cols-[220px_minmax(0,1fr)]">
            <dt className="font-medium">{type}</dt>
            <dd className="font-mono text-xs leading-6 text-muted">{fields.join(", ")}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

function Errors({ errors }: { errors: Reference["errors"] }) {
  return (
    <Section id="errors" title="Errors">
      <p>
        <code className="font-mono">/api/v1</code> answers problem details (RFC 9457) whose{" "}
        <code className="font-mono">code</code> stays the same. The single actions answer{" "}
        <code className="font-mono">{'{"error": "…"}'}</code> with the status below; on{" "}
        <code className="font-mono">/api/v2</code> the same text comes with 200, as panel clients expect; only the limit
        comes with 429, and any method but POST with 405.
      </p>
      <dl className="divide-y divide-line">
        {errors.map((error) => (
          <div key={error.code} id={error.code} className="scroll-mt-6 py-3 target:bg-sunken">
            <dt className="flex flex-wrap items-baseline gap-x-3">
              <a href={`#${error.code}`} className="font-mono font-medium hover:underline">
                {error.code}
              </a>
              <span className="tabular text-xs text-muted">{error.status}</span>
              <span className="text-xs text-muted">“{error.text}”</span>
            </dt>
            <dd className="mt-0.5 max-w-prose text-muted">
              <MarkedText text={error.advice} />
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
