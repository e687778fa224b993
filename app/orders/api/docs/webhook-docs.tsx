import type { WebhookEvent } from "#app/db/schema.server.ts";
import { CodeBlock } from "./code-block.tsx";
import { Section } from "./docs-section.tsx";
import { MarkedText } from "./marked-text.tsx";

const EVENTS: Record<WebhookEvent, string> = {
  "order.completed": "An order was delivered in full.",
  "order.partial": "An order ended early. We refunded the undelivered part.",
  "order.canceled": "An order was canceled and refunded.",
  "balance.low": "Your balance fell below the amount you set. Its `data` has `balance`, `below` and `currency`.",
  "webhook.test": "You pressed Send test.",
};

const EXAMPLE = JSON.stringify(
  {
    type: "order.partial",
    timestamp: "2026-11-22T10:15:00.000Z",
    data: { order: 23501, service: 1, status: "Partial", charge: "0.45", remains: 500, currency: "USD" },
  },
  null,
  2,
);

const RULES = [
  "Return a 2xx status within 15 seconds. We ignore the response body and follow no redirects.",
  "Requests are signed according to Standard Webhooks: verify `webhook-signature` over `webhook-id`, `webhook-timestamp` and the body with your secret.",
  "Each webhook gets its events one at a time, in the order in which we recorded them. The next one is sent after you accepted the one before it.",
  "If a request fails, we send it again after 5 seconds, 5 minutes, 30 minutes, and 2, 5, 10, 14, 20 and 24 hours, each up to 10% later. Later events wait behind it.",
  "Every attempt of an event, and every resend, has the same `webhook-id`. A resend goes before newer events that are waiting. You may get an event more than once: ignore an ID that you have processed.",
  "After the last retry, or three days without a success, we turn the webhook off. Events that were waiting are marked Not sent in its log, and events that happen while it is off are not recorded. Turn it on again and resend what you need. The log covers 30 days.",
  "A test event is sent at once, whatever is waiting. If your endpoint accepts it, we also retry the waiting events.",
];

/** Explains events, order and retries of webhooks. */
export function WebhookDocs() {
  return (
    <Section id="webhooks" title="Webhooks">
      <p>
        Add up to five URLs at{" "}
        <a href="/dashboard/api#webhooks" className="underline underline-offset-4">
          your API page
        </a>
        . We post these events to each of them as JSON:
      </p>
      <dl className="max-w-prose divide-y divide-line">
        {Object.entries(EVENTS).map(([event, description]) => (
          <div key={event} className="py-2">
            <dt className="font-mono">{event}</dt>
            <dd className="text-muted">
              <MarkedText text={description} />
            </dd>
          </div>
        ))}
      </dl>
      <CodeBlock title="Example" code={EXAMPLE} />
      <ul className="flex max-w-prose list-disc flex-col gap-1 pl-5">
        {RULES.map((rule) => (
          <li key={rule}>
            <MarkedText text={rule} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
