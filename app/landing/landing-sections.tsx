import type { ReactNode } from "react";
import { Badge, ORDER_STATUS_TONES } from "#app/components/ui/badge.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { CopyButton } from "#app/components/ui/copy-button.tsx";
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
  ["Choose", "Each service shows its rate, its limits, and whether it offers refills, cancellation and drip-feed."],
  [
    "Order",
    "Enter the public link. We charge your balance and create the order in one step, so you never pay for an order that wasn't placed.",
  ],
  ["Track", "Status updates automatically. The dashboard and the API show the same status, start count and remains."],
] as const;

const STATUSES: [keyof typeof ORDER_STATUS_TONES, string][] = [
  ["Pending", "Accepted and waiting to start."],
  ["In progress", "Delivery under way."],
  ["Completed", "Everything was delivered."],
  ["Partial", "Part of it was delivered. We refund the undelivered part."],
  ["Canceled", "The order stopped. We refund the undelivered part."],
];

export function HowItWorks() {
  return (
    <Section id="how" title="How it works" lead="Three steps, and a status that tells you where your order is.">
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
      title="One request"
      lead="Works with existing panel software: one URL, a key and an action. This request places the order you chose above."
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
          <span className="text-muted">Response </span>
          {'{"order": 23501}'}
        </p>
      </div>
      <p className="mt-4 max-w-prose text-sm text-muted">
        For new integrations, use <code className="font-mono text-text">POST /api/v1/create_order</code>: JSON, a bearer
        key, and an idempotency key that keeps a retried request from placing a second order.
      </p>
    </Section>
  );
}

export function Questions() {
  return (
    <Section
      id="questions"
      title="Questions"
      lead="What people ask before their first order. For anything else, ask support in the chat."
    >
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
          {signedIn ? "Place your next order" : "Place your first order"}
        </h2>
        <p className="mt-3 max-w-prose text-muted">
          {signedIn
            ? "Your dashboard has the order form, your orders and your balance."
            : "All you need is an email address and a password. Accounts are free, and there's no subscription."}
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
