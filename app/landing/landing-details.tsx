import { Link } from "@remix-run/react";
import { Fragment, type ReactNode } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Badge, ORDER_STATUS_TONES } from "#app/components/ui/badge.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import type { OrderStatus } from "#app/db/schema.server.ts";
import { Section } from "./landing-section.tsx";
import darkOrder from "./order-dark.webp?url";
import lightOrder from "./order-light.webp?url";
import { QUESTIONS } from "./questions.ts";
import { structuredData } from "./structured-data.ts";

export type SupportContact = {
  /** Null: the team keeps no hours. */
  hours: string | null;
  /** Empty: there is only the chat. */
  email: string;
};

/** The policies in the operator's settings. */
type Policies = {
  /** Paragraphs. */
  refunds: string[];
  /** The address of the terms of service, or empty. */
  termsUrl: string;
};

type Props = {
  origin: string;
  support: SupportContact;
  acceptsCards: boolean;
  /** Lines that a mass order can have. */
  massMaxLines: number;
  policies: Policies;
  signedIn: boolean;
};

/**
 * The parts of the landing page that depend on nothing the visitor does, before and after the request that places their
 * order. They are rendered on the server only.
 */
export default function LandingDetails({ part, ...props }: Props & { part: "before" | "after" }) {
  return part === "before" ? <ForEverybody {...props} /> : <AfterTheRequest {...props} />;
}

function ForEverybody({ support, acceptsCards, policies }: Props) {
  return (
    <>
      <HowItWorks />
      <Risks />
      <Refunds policy={policies.refunds} />
      <Paying acceptsCards={acceptsCards} termsUrl={policies.termsUrl} />
      <Support {...support} />
    </>
  );
}

function AfterTheRequest({ origin, massMaxLines, signedIn }: Props) {
  return (
    <>
      <Resellers massMaxLines={massMaxLines} />
      <Questions />
      <Start signedIn={signedIn} />
      <script
        type="application/ld+json"
        // biome-ignore lint/security/noDangerouslySetInnerHtml: our own data, with no way to end the script
        dangerouslySetInnerHTML={{ __html: JSON.stringify(structuredData(origin)).replaceAll("<", "\\u003c") }}
      />
    </>
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

const STATUSES: Record<OrderStatus, string> = {
  Pending: "Accepted and waiting to start.",
  Processing: "Being prepared. Delivery hasn't started yet.",
  "In progress": "Delivery under way.",
  Completed: "Everything was delivered.",
  Partial: "Part of it was delivered. We refund the undelivered part.",
  Canceled: "The order stopped. We refund the undelivered part.",
};

function HowItWorks() {
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
      <OrderPicture />
      <dl className="mt-10 border-t border-line text-sm">
        {(Object.entries(STATUSES) as [OrderStatus, string][]).map(([status, meaning]) => (
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

/** The page of a real order in this product, made by tools/pages/order-picture.ts. */
function OrderPicture() {
  const about = {
    width: WIDTH,
    height: HEIGHT,
    loading: "lazy",
    decoding: "async",
  } as const;
  return (
    <figure className="mt-10">
      <img
        {...about}
        src={darkOrder}
        alt={ABOUT_ORDER}
        className="h-auto w-full rounded-md border border-line light:hidden"
      />
      <img
        {...about}
        src={lightOrder}
        alt={ABOUT_ORDER}
        className="hidden h-auto w-full rounded-md border border-line light:block"
      />
      <figcaption className="mt-2 text-sm text-muted">An order's page, as you see it in your dashboard.</figcaption>
    </figure>
  );
}

/** Size of the pictures, in CSS pixels. */
const WIDTH = 760;
const HEIGHT = 464;
const ABOUT_ORDER = "The page of a completed order: its status, service, link, start count, charge and dates.";

function Risks() {
  return (
    <Section id="risks" title="The risks" lead="Read this before you spend money. We'd rather you knew it now.">
      <Points
        points={[
          [
            "Networks don't welcome it",
            "Most networks' rules forbid bought engagement. They may remove it, and they may restrict the account. We can't prevent that, and we don't insure you against it.",
          ],
          [
            "Counts drop",
            "Networks remove accounts all the time. A service with refill replaces what dropped; one without doesn't. The price list says which is which.",
          ],
          [
            "It isn't an audience",
            "Bought followers and likes rarely comment, buy or come back. They change a number, not what people think of you.",
          ],
          [
            "Times vary",
            "Delivery times are measured over the last 30 days, with orders that are still open counted in. They aren't promises, and a busy network makes them longer.",
          ],
        ]}
      />
    </Section>
  );
}

function Refunds({ policy }: { policy: string[] }) {
  return (
    <Section
      id="refunds"
      title="Refunds and refills"
      lead="What happens when an order isn't delivered, and when something drops later."
    >
      <Points
        points={[
          [
            "Not delivered: refunded",
            "If an order ends as Partial or Canceled, we refund what wasn't delivered to your balance automatically, by the price you paid. You don't have to ask.",
          ],
          [
            "Changed your mind",
            "If a service can be canceled, request it on the order's page. We pass the request on, and refund what wasn't delivered once the order stops.",
          ],
          [
            "How to claim a refill",
            "Open a delivered order of a service with refill and press Request refill. It's free. If the service names refill days, they count from the order's end, and the order's page shows the deadline.",
          ],
          [
            "Refunds go to your balance",
            "They show up in your transactions at once, and you can spend them on any service.",
          ],
        ]}
      />
      {policy.map((paragraph) => (
        <p key={paragraph} className="mt-6 max-w-prose text-sm break-words text-muted">
          {paragraph}
        </p>
      ))}
    </Section>
  );
}

function Paying({ acceptsCards, termsUrl }: { acceptsCards: boolean; termsUrl: string }) {
  return (
    <Section id="paying" title="Payment and terms" lead="One balance for everything. There's no subscription.">
      <Points
        points={[
          [
            "Ways to pay",
            acceptsCards
              ? "Top up your balance by card, through Stripe, or redeem a code. No card number reaches us."
              : "Redeem a code to top up your balance. Card payments aren't available at the moment.",
          ],
          [
            "One price",
            "You're charged once, when you place the order, and exactly what the form showed. Nothing is added.",
          ],
          [
            "Your part",
            "Order only for public links that you're allowed to promote, and follow the rules of the network. You need an account with an email address.",
          ],
          [
            "Reversed payments",
            "If a card payment is reversed, we deduct it from your balance, which may leave an amount you owe.",
          ],
        ]}
      />
      <p className="mt-6 text-sm text-muted">
        {termsUrl !== "" && (
          <>
            <a href={termsUrl} className="text-text underline underline-offset-4">
              Terms of service
            </a>
            {": what applies to accounts and orders. "}
          </>
        )}
        <Link to="/privacy-policy" className="text-text underline underline-offset-4">
          Privacy policy
        </Link>
        : what we store, and how to have it deleted.
      </p>
    </Section>
  );
}

function Resellers({ massMaxLines }: Pick<Props, "massMaxLines">) {
  const { number } = useFormats();
  return (
    <Section
      id="resellers"
      title="For resellers"
      lead="Sell our services in your own panel, or order from your own code."
    >
      <Points
        points={[
          [
            "Two APIs",
            "The panel API works with existing panel software. For new integrations there's JSON with idempotency keys, so that a retry never places a second order.",
          ],
          [
            "Mass orders",
            `Up to ${number(massMaxLines)} lines at once, each with its price or its error before you pay.`,
          ],
          ["Webhooks", "Signed requests tell your server when an order changes. Failed ones are sent again."],
          [
            "Test keys",
            <Fragment key="test">
              A test key places orders that charge nothing.{" "}
              <Link to="/api/docs" className="text-text underline underline-offset-4">
                Read the API docs
              </Link>
            </Fragment>,
          ],
        ]}
      />
    </Section>
  );
}

function Support({ hours, email }: SupportContact) {
  return (
    <Section id="support" title="Support" lead="Ask before you order, or about an order you placed.">
      <Points
        points={[
          [
            "Chat",
            "Press the button at the bottom of any page. Leave your email address, and our answer reaches you after you've gone.",
          ],
          ...(email === "" ? [] : [["Email", <EmailLink key="email" email={email} />] as const]),
          ["Hours", hours ?? "The team keeps no fixed hours. The chat says whether somebody is online."],
        ]}
      />
    </Section>
  );
}

function EmailLink({ email }: { email: string }) {
  return (
    <a href={`mailto:${email}`} className="text-text underline underline-offset-4">
      {email}
    </a>
  );
}

function Points({ points }: { points: (readonly [title: string, text: ReactNode])[] }) {
  return (
    <dl className="grid gap-x-8 gap-y-6 sm:grid-cols-2">
      {points.map(([title, text]) => (
        <div key={title}>
          <dt className="font-medium">{title}</dt>
          <dd className="mt-1.5 text-sm text-muted">{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Questions() {
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

function Start({ signedIn }: { signedIn: boolean }) {
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
