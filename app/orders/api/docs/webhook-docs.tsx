import { CodeBlock } from "./code-block.tsx";
import { Anchored, Section } from "./docs-section.tsx";
import { LanguageLinks } from "./language-links.tsx";
import { MarkedText } from "./marked-text.tsx";
import type { DocWebhook } from "./reference.server.ts";
import { WEBHOOK_LANGUAGE_NAMES, WEBHOOK_SAMPLES, type WebhookLanguage } from "./webhook-samples.ts";

const ORDER_RULES = [
  "Each webhook gets its events one at a time, in the order in which we recorded them. The next one is sent after you accepted the one before it.",
  "A resend goes before newer events that are waiting. You may get an event more than once: ignore a `webhook-id` that you have processed.",
  "A test event is sent at once, whatever is waiting. If your endpoint accepts it, we also retry the waiting events.",
];

const RETRY_RULES = [
  "Return a 2xx status within 15 seconds, also for a `type` that you don't use: we may add more. We ignore the response body and follow no redirects.",
  "If a request fails, we send it again after 5 seconds, 5 minutes, 30 minutes, and 2, 5, 10, 14, 20 and 24 hours, each up to 10% later, with the same `webhook-id`. Later events wait behind it.",
  "After the last retry, or three days without a success, we turn the webhook off. Events that were waiting are marked Not sent in its log, and events that happen while it is off are not recorded. Turn it on again and resend what you need. The log covers 30 days.",
  "Events that were waiting are also marked Not sent when you choose that the webhook doesn't get them anymore. One that begins to get catalog changes hears of those from then on.",
];

/** Documents the events of webhooks, their signature, order and retries, with a program that verifies them. */
export function WebhookDocs({ events, language }: { events: DocWebhook[]; language: WebhookLanguage }) {
  return (
    <Section id="webhooks" title="Webhooks">
      <p>
        Add up to five URLs at{" "}
        <a href="/dashboard/api#webhooks" className="underline underline-offset-4">
          your API page
        </a>
        , and choose for each whether it gets orders and balance, catalog changes (
        <code className="font-mono">service.changed</code>) or both. Test events go to any. We post these events as
        JSON:
      </p>
      <dl className="divide-y divide-line">
        {events.map(({ event, description, example }) => (
          <div key={event} className="grid content-start gap-x-8 py-4 xl:grid-cols-2 xl:grid-rows-[auto_1fr]">
            <dt className="font-mono" id={`webhook-${event}`}>
              {event}
            </dt>
            <dd className="text-muted">
              <MarkedText text={description} />
            </dd>
            <dd className="mt-2 min-w-0 xl:col-start-2 xl:row-span-2 xl:row-start-1 xl:mt-0">
              <CodeBlock title={event} code={example} />
            </dd>
          </div>
        ))}
      </dl>
      <Anchored id="webhook-signature" level={3}>
        Signature
      </Anchored>
      <p>
        Requests are signed according to{" "}
        <a href="https://www.standardwebhooks.com" className="underline underline-offset-4">
          Standard Webhooks
        </a>
        , so its libraries verify them. These headers come with each:
      </p>
      <dl className="max-w-prose divide-y divide-line">
        {events[0]?.headers.map(({ name, description }) => (
          <div key={name} className="py-2">
            <dt className="font-mono">{name}</dt>
            <dd className="text-muted">
              <MarkedText text={description} />
            </dd>
          </div>
        ))}
      </dl>
      <p>
        A program without dependencies that verifies them. Put your secret into the environment as{" "}
        <code className="font-mono">WEBHOOK_SECRET</code>; the curl sample then sends it a signed event.
      </p>
      <LanguageLinks language={language} anchor="webhook-signature" names={WEBHOOK_LANGUAGE_NAMES} />
      <CodeBlock title={WEBHOOK_LANGUAGE_NAMES[language]} code={WEBHOOK_SAMPLES[language]} copy />
      <Rules id="webhook-order" title="Order" rules={ORDER_RULES} />
      <Rules id="webhook-retries" title="Retries" rules={RETRY_RULES} />
    </Section>
  );
}

function Rules({ id, title, rules }: { id: string; title: string; rules: string[] }) {
  return (
    <>
      <Anchored id={id} level={3}>
        {title}
      </Anchored>
      <ul className="flex max-w-prose list-disc flex-col gap-1 pl-5">
        {rules.map((rule) => (
          <li key={rule}>
            <MarkedText text={rule} />
          </li>
        ))}
      </ul>
    </>
  );
}
