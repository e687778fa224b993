import type { ReactNode } from "react";
import { Badge } from "#app/components/ui/badge.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
import { ORDER_STATUS_TONES } from "#app/components/ui/order-status-tones.ts";
import { QUESTIONS } from "./questions.ts";

function Section({ id, title, lead, children }: { id: string; title: string; lead: string; children: ReactNode }) {
  return (
    <section
      aria-labelledby={id}
      className="grid gap-x-12 gap-y-8 border-t border-line py-14 sm:py-20 lg:grid-cols-[320px_1fr]"
    >
      <div>
        <h2 id={id} className="scroll-mt-6 text-2xl">
          {title}
        </h2>
        <p className="mt-3 max-w-prose text-muted">{lead}</p>
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}

const STEPS = [
  [
    "Choose",
    "A service has a rate per 1,000, limits and a few promises: refill, cancel, drip-feed. You see all of it.",
  ],
  [
    "Place",
    "You give the public link. The charge leaves your balance in the same step that makes the order, or neither happens.",
  ],
  ["Follow", "The order moves by itself. The dashboard and the API show the same status, start count and remains."],
] as const;

const STATUSES: [keyof typeof ORDER_STATUS_TONES, string][] = [
  ["Pending", "Accepted, waiting for its turn."],
  ["In progress", "Pieces are arriving; remains falls."],
  ["Completed", "All of it was delivered."],
  ["Partial", "A part was delivered. What is missing is paid back."],
  ["Canceled", "It could not be delivered. What is missing is paid back."],
];

export function HowItWorks() {
  return (
    <Section id="how" title="How it works" lead="Three steps, and a status that says where an order stands.">
      <ol className="grid gap-6 sm:grid-cols-3">
        {STEPS.map(([name, text], index) => (
          <li key={name}>
            <p className="font-medium">
              <span className="mr-2 font-mono text-sm text-accent">{index + 1}</span>
              {name}
            </p>
            <p className="mt-1.5 text-sm text-muted">{text}</p>
          </li>
        ))}
      </ol>
      <dl className="mt-10 border-t border-line text-sm">
        {STATUSES.map(([status, meaning]) => (
          <div
            key={status}
            className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-2 sm:flex-nowrap"
          >
            <dt className="w-32 shrink-0">
              <Badge tone={ORDER_STATUS_TONES[status]}>{status}</Badge>
            </dt>
            <dd className="w-full text-muted">{meaning}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

export function ApiExample({ origin, service, quantity }: { origin: string; service: number; quantity: string }) {
  const lines = [
    `curl ${origin}/api/v2 \\`,
    "  -d key=$API_KEY \\",
    "  -d action=add \\",
    `  -d service=${service} \\`,
    "  -d link=https://example.com/your-post \\",
    `  -d quantity=${quantity.trim()}`,
  ];
  return (
    <Section
      id="api"
      title="One call"
      lead="The API speaks the convention that panel software speaks already: one address, a key, an action. The call beside is the order you chose above."
    >
      <div className="overflow-clip rounded-md border border-line bg-sunken">
        <div className="flex min-h-12 items-center justify-between gap-4 border-b border-line pr-2 pl-4 text-sm text-muted">
          Shell
          <CopyButton text={lines.join("\n")} />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, which a keyboard must reach */}
        <pre tabIndex={0} className="overflow-x-auto p-4 font-mono text-sm leading-6 focus-visible:-outline-offset-2">
          <code>{lines.join("\n")}</code>
        </pre>
        <p className="border-t border-line p-4 font-mono text-sm">
          <span className="text-muted">answers </span>
          {'{"order": 23501}'}
        </p>
      </div>
      <p className="mt-4 max-w-prose text-sm text-muted">
        Programs that want more use <code className="font-mono text-text">POST /api/v1/create_order</code>: JSON, a
        bearer key, and an idempotency key, so that a repeated request is still one order.
      </p>
    </Section>
  );
}

export function Questions() {
  return (
    <Section id="questions" title="Questions" lead="What people ask before a first order. Support answers the rest.">
      <div className="border-t border-line">
        {QUESTIONS.map(([question, answer]) => (
          <details key={question} className="group border-b border-line">
            <summary className="flex min-h-12 list-none items-center justify-between gap-4 py-3 font-medium [&::-webkit-details-marker]:hidden">
              {question}
              <span
                aria-hidden
                className="font-mono text-muted transition-transform group-open:rotate-45 motion-reduce:transition-none"
              >
                +
              </span>
            </summary>
            <p className="max-w-prose pb-5 text-muted">{answer}</p>
          </details>
        ))}
      </div>
    </Section>
  );
}

export function Start({ signedIn }: { signedIn: boolean }) {
  return (
    <section
      aria-labelledby="start"
      className="flex flex-col items-start gap-6 border-t border-line py-14 sm:flex-row sm:items-center sm:justify-between sm:py-20"
    >
      <div>
        <h2 id="start" className="text-2xl">
          {signedIn ? "Your next order" : "Begin with one order"}
        </h2>
        <p className="mt-3 max-w-prose text-muted">
          {signedIn
            ? "The dashboard has the form, your orders and your balance."
            : "An email address and a password are all it takes. An account costs nothing, and nothing renews by itself."}
        </p>
      </div>
      {signedIn ? (
        <ButtonLink to="/dashboard" size="large">
          Open the dashboard
        </ButtonLink>
      ) : (
        <ButtonLink to="/auth/signup" size="large">
          Create an account
        </ButtonLink>
      )}
    </section>
  );
}
