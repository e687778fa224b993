import { CodeBlock } from "./code-block.tsx";
import { Section } from "./docs-section.tsx";
import { MarkedText } from "./marked-text.tsx";
import type { Reference } from "./reference.server.ts";
import { KEY_PLACEHOLDER, TestKeyBox, useSampleKey } from "./test-key-box.tsx";

type ApiBasicsProps = {
  reference: Reference;
  origin: string;
  signedIn: boolean;
  /** Formatted for the reader. */
  requestsPerMinute: string;
  idsPerCall: number;
};

/** Explains what applies to every route: keys, test keys, idempotency, limits and statuses. */
export function ApiBasics({ reference, origin, signedIn, requestsPerMinute, idsPerCall }: ApiBasicsProps) {
  const apiKey = useSampleKey();
  return (
    <>
      <Section id="authentication" title="Authentication">
        <p>
          <MarkedText text={reference.keyDescription} /> Replace <code className="font-mono">{KEY_PLACEHOLDER}</code> in
          the samples with your key, or{" "}
          <a href="#test-key" className="underline underline-offset-4">
            create a test key
          </a>{" "}
          and the samples have it in them.
        </p>
        <CodeBlock title="Header" code={`Authorization: Bearer ${apiKey}`} copy />
        <p>
          A key has the <code className="font-mono">read</code> scope, the <code className="font-mono">order</code>{" "}
          scope, or both. Live keys start with <code className="font-mono">gl_live_</code>, test keys with{" "}
          <code className="font-mono">gl_test_</code>. A revoked key stops working right away; a replaced key works for
          one more day.
        </p>
        <p>
          Call the API from your server. Browsers refuse calls from pages of other sites, because a key in a page can be
          read by everyone who opens it. Only <code className="font-mono">/api/openapi.json</code> may be read from any
          page.
        </p>
        <p>
          All paths are relative to <code className="font-mono">{origin}</code>.
        </p>
      </Section>
      <Section id="test-key" title="Test keys">
        <p>
          A test key behaves like a live one but never charges and never sends anything to a provider. Its orders go
          from Pending to Completed within seconds, and only test keys see them. It sees no live orders and refills, but
          your real balance. A key created here works for one day, or until you create the next one here. It isn't
          listed on your API page.
        </p>
        <div className="max-w-prose rounded-md border border-line bg-raised p-4">
          <TestKeyBox signedIn={signedIn} />
        </div>
      </Section>
      <Section id="idempotency" title="Idempotency">
        <p>
          A connection can break after your order was placed but before you got the response. Send your own key with
          each order, in the <code className="font-mono">Idempotency-Key</code> header or, on the panel routes, in the{" "}
          <code className="font-mono">request_id</code> field, and repeat the same request when in doubt.
        </p>
        <ul className="max-w-prose list-disc pl-5">
          <li>For at least 24 hours, the same key with the same content returns the first response.</li>
          <li>
            A replayed response has the header <code className="font-mono">Idempotent-Replayed: true</code>.
          </li>
          <li>
            The same key with different content is refused:{" "}
            <a href="#idempotency_conflict" className="underline underline-offset-4">
              idempotency_conflict
            </a>
            .
          </li>
          <li>
            Without a key, every request places a new order, even with the same content. Only within an hour after a
            503, or after you hung up before the response, the next request with the same content counts as its
            repetition. To order the same again on purpose, send a key. Send one anyway: we don't always notice that a
            client has hung up.
          </li>
        </ul>
      </Section>
      <Section id="limits" title="Limits">
        <p>
          {requestsPerMinute} requests per minute per key, up to {idsPerCall} IDs per call, and 1 MB per request. Beyond
          the limit you get a 429, and <code className="font-mono">Retry-After</code> says how many seconds to wait.
          Every response has these headers:
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
      <Section id="statuses" title="Order statuses">
        <p>
          <code className="font-mono">{reference.statuses.join(" · ")}</code>
        </p>
        <p>
          The last three are final. Partial and Canceled refund the undelivered part (
          <code className="font-mono">remains</code>), once.
        </p>
        <p>
          Subscriptions have the panel convention's words in <code className="font-mono">status</code>:{" "}
          <code className="font-mono">{reference.subscriptionStatuses.join(" · ")}</code>. Expired means that it ended
          before every post got an order.
        </p>
      </Section>
    </>
  );
}
