import type { MetaFunction } from "@remix-run/cloudflare";
import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { describePage } from "#app/components/page/page-meta.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = ({ matches }) =>
  describePage(matches, {
    title: `Privacy policy · ${PRODUCT_NAME}`,
    description: `What ${PRODUCT_NAME} keeps about you, what for, and how to have it removed.`,
    path: "/privacy-policy",
  });

const GOOGLE_POLICY = "https://developers.google.com/terms/api-services-user-data-policy";

export default function PrivacyPolicy() {
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-3xl flex-1 px-4 py-10 outline-none sm:px-6 sm:py-14">
      <h1 className="text-3xl">Privacy policy</h1>
      <p className="mt-3 max-w-prose text-muted">
        What {PRODUCT_NAME} keeps about you, what for, and how you have it removed.
      </p>

      <Part id="kept" title="What we keep">
        <ul className="flex list-disc flex-col gap-1.5 pl-5 marker:text-line-strong">
          <li>
            <Term>Account:</Term> your email address, the name you give, and your password as a hash from which it
            cannot be read.
          </li>
          <li>
            <Term>Sessions:</Term> for each device signed in, its browser's description of itself and when it was used.
          </li>
          <li>
            <Term>Orders:</Term> service, link, quantity and what the order needs; charges, refunds, top-ups and your
            balance.
          </li>
          <li>
            <Term>Support chat:</Term> the name and email address you give there, and the messages.
          </li>
          <li>
            <Term>Uploads:</Term> the files you upload.
          </li>
          <li>
            <Term>Mail account,</Term> if you connect one: its address, access tokens (encrypted), and of recent
            messages the sender, subject, date and first words.
          </li>
          <li>
            <Term>Protection:</Term> counters of sign-in attempts, under digests of the email address typed and of the
            network address, until their time has passed.
          </li>
        </ul>
      </Part>

      <Part id="use" title="What for">
        <p>
          To take and deliver your orders, to answer you, to show you your own mail statistics, and to keep others out
          of your account. Not for advertising. We do not sell it.
        </p>
        <p>
          To deliver an order, its link and details go to the provider that works on it, without your name or email
          address. Our servers, database and storage are run by Cloudflare; mails to you go through a mail sender. When
          you pay by card, you do so at Stripe, which gets your email address and your card; we get the amount and
          whether it was paid.
        </p>
      </Part>

      <Part id="google" title="Your Google data">
        <p>
          If you connect Gmail, we ask for reading only (<code className="font-mono text-sm">gmail.readonly</code>). We
          read up to 100 recent messages to show you counts and a list of the newest, and nothing else. We never send,
          change or delete mail.
        </p>
        <p>
          {PRODUCT_NAME}'s use and transfer of information received from Google APIs adheres to the{" "}
          <a href={GOOGLE_POLICY} rel="noreferrer" className="text-text underline underline-offset-4">
            Google API Services User Data Policy
          </a>
          , including the Limited Use requirements: we use it only for what you see on the mail page; we do not transfer
          it to others, except where the law demands it or security requires it; we do not use it for advertising; we do
          not use it to train models; and no person reads it, unless you ask us to look at particular messages, security
          requires it, or the law demands it.
        </p>
        <p>
          You end this by deleting your account, or at any time in{" "}
          <a
            href="https://myaccount.google.com/connections"
            rel="noreferrer"
            className="text-text underline underline-offset-4"
          >
            your Google account
          </a>
          .
        </p>
      </Part>

      <Part id="cookies" title="Cookies and storage">
        <p>
          Cookies keep you signed in (30 days), let this browser back into its support conversation (180 days), and
          carry a short notice from one page to the next. Your browser's storage keeps the theme, the session, the
          support conversation's id with messages not sent yet, what you have typed into a form and not sent (until the
          tab is closed), and whether you have seen the introduction. The app keeps a copy of the session among its own
          settings. Nothing follows you to other sites.
        </p>
      </Part>

      <Part id="rights" title="See it, take it, delete it">
        <p>
          On your{" "}
          <Link to="/dashboard/account" className="text-text underline underline-offset-4">
            profile page
          </Link>{" "}
          you download everything we hold on you as one file, and correct your name and email address.{" "}
          <Link to="/account/delete" className="text-text underline underline-offset-4">
            Deleting the account
          </Link>{" "}
          removes your name, email address, password, sessions, API keys, support conversation, uploads, the connection
          to your mail account and all that was read from it. Orders not begun are canceled.
        </p>
        <p>
          What stays: that orders were made (service, quantity, charge, date, status) and their ledger entries, because
          money must add up. Their links and details are removed, and they stand under a number that leads nowhere. What
          went to a provider before may be known there.
        </p>
      </Part>
    </main>
  );
}

function Part({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="mt-10 max-w-prose">
      <h2 id={id} className="text-lg">
        {title}
      </h2>
      <div className="mt-3 flex flex-col gap-3 text-muted">{children}</div>
    </section>
  );
}

function Term({ children }: { children: ReactNode }) {
  return <b className="font-medium text-text">{children}</b>;
}
