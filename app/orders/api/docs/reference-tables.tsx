import { Section } from "./docs-section.tsx";
import { MarkedText } from "./marked-text.tsx";
import type { Reference } from "./reference.server.ts";

export function OrderTypes({ types }: { types: Reference["orderTypes"] }) {
  return (
    <Section id="order-types" title="Service types">
      <p>
        The fields an order takes besides <code className="font-mono">service</code>. A question mark means optional.
        Send lists as lines or as a JSON array.
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

export function ErrorCodes({ errors }: { errors: Reference["errors"] }) {
  return (
    <Section id="errors" title="Errors">
      <p>
        <code className="font-mono">/api/v1</code> returns problem details (RFC 9457) with a stable{" "}
        <code className="font-mono">code</code>. The single-action routes return{" "}
        <code className="font-mono">{'{"error": "…"}'}</code> with the status below. On{" "}
        <code className="font-mono">/api/v2</code> the same text comes with status 200, as panel clients expect, except
        for 429 (rate limit) and 405 (any method but POST).
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
