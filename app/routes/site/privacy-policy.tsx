import type { LoaderFunctionArgs, MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { describePage } from "#app/components/page/page-meta.ts";
import { PRODUCT_NAME } from "#app/product.ts";

export const meta: MetaFunction = ({ matches }) =>
  describePage(matches, {
    title: `Privacy policy · ${PRODUCT_NAME}`,
    description: `What ${PRODUCT_NAME} stores about you, why, and how to have it deleted.`,
    path: "/privacy-policy",
  });

export async function loader({ context }: LoaderFunctionArgs) {
  return { conversationDays: (await context.siteState()).settings.conversations_kept_days };
}

const GOOGLE_POLICY = "https://developers.google.com/terms/api-services-user-data-policy";

export default function PrivacyPolicy() {
  const { conversationDays } = useLoaderData<typeof loader>();
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-3xl flex-1 px-4 py-10 outline-none sm:px-6 sm:py-14">
      <h1 className="text-3xl">Privacy policy</h1>
      <p className="mt-3 max-w-prose text-muted">
        What {PRODUCT_NAME} stores about you, why, and how to have it deleted.
      </p>

      <Part id="kept" title="What we store">
        <ul className="flex list-disc flex-col gap-1.5 pl-5 marker:text-line-strong">
          <li>
            <Term>Account:</Term> your email address, your name, and a hash of your password that can't be read back.
          </li>
          <li>
            <Term>Two-step login,</Term> if you set it up: the public key and the name of each passkey, when you added
            and last used it, and how your browser reaches it; the key of your authenticator app (encrypted); and hashes
            of your recovery codes. Your fingerprint, face or PIN never leaves your device.
          </li>
          <li>
            <Term>Sessions:</Term> for each logged-in device, how its browser describes itself and when it was used.
          </li>
          <li>
            <Term>Security activity:</Term> log-ins, failed attempts and changes to your security, with the time, the
            browser and the network, for a year. You see the list on your account page. To tell you about log-ins on new
            devices, we remember up to 20 browsers that you logged in with.
          </li>
          <li>
            <Term>Orders:</Term> the service, link, quantity and other details; charges, refunds, top-ups and your
            balance; the price level and discount codes that apply to you; your favorites; and what our team changed or
            noted about your account and orders.
          </li>
          <li>
            <Term>API:</Term> names and limits of your API keys (the keys themselves only as hashes), the networks that
            used them, and your webhook URLs.
          </li>
          <li>
            <Term>Support chat:</Term> the name and email address you give there, your messages, files and ratings, what
            you answer to our emails about it, your browser's language, the last ten pages you opened on this site while
            the conversation was open, and our team's notes. We delete the list of pages when the conversation is closed
            {conversationDays !== null && `, and the conversation with its files ${conversationDays} days later`}.
          </li>
          <li>
            <Term>Notifications,</Term> if you turn them on: the address at which your browser's or phone's own service
            takes them, with its keys. That service can't read what we send to a browser. We delete them when you turn
            notifications off, log out or delete your account; your browser remembers which ones it has shown.
          </li>
          <li>
            <Term>Uploads:</Term> the files you upload.
          </li>
          <li>
            <Term>Gmail,</Term> if you connect it: the address, access tokens (encrypted), how many messages it has, and
            the sender, subject, date and first words of messages we read.
          </li>
          <li>
            <Term>Emails we send you:</Term> the address, what kind of email it was and whether it was sent, for 30
            days. We delete its text once it's sent. If an email is returned or reported as spam, we remember not to
            write to that address.
          </li>
          <li>
            <Term>Abuse protection:</Term> counts of attempts, such as log-ins, under hashes of the email address or
            network address. They expire within a day.
          </li>
        </ul>
      </Part>

      <Part id="use" title="How we use it">
        <p>
          To deliver your orders, answer you, show you your own Gmail statistics, and keep others out of your account.
          We don't use it for advertising, and we don't sell it.
        </p>
        <p>
          To deliver an order, we send its link and details to a provider, without your name or email address.
          Cloudflare runs our servers, database and storage, and an email service delivers our emails to you. If you pay
          by card, Stripe gets your email address and card details; we get the amount, Stripe's reference, and whether
          it was paid, refunded or disputed.
        </p>
      </Part>

      <Part id="seen" title="What our team sees">
        <p>To deliver orders, answer you and keep the books, the members of our team who work on them see:</p>
        <ul className="flex list-disc flex-col gap-1.5 pl-5 marker:text-line-strong">
          <li>
            your email address, your name, when you signed up, confirmed the address and last used the account, and
            whether it is suspended;
          </li>
          <li>your orders with their links and details, and what providers answered;</li>
          <li>your refills and cancellations;</li>
          <li>your balance, charges and refunds, and how much you have spent;</li>
          <li>your card payments, refunds and disputes, with Stripe's reference numbers;</li>
          <li>the discount codes that you used;</li>
          <li>your support conversations with their messages, files and ratings;</li>
          <li>emails that didn't arrive, with the address and the reason;</li>
          <li>what our team wrote or changed on your account, and who did it.</li>
        </ul>
      </Part>

      <Part id="google" title="Your Google data">
        <p>
          If you connect Gmail, we ask for read-only access (<code className="font-mono text-sm">gmail.readonly</code>).
          The first sync reads up to 100 of your newest messages. Later syncs read messages that arrived since the last
          one, about every 15 minutes if you turn on automatic sync. We keep the newest 2,000 and delete older ones. We
          show you counts and a list of the newest messages. We never send, change or delete mail.
        </p>
        <p>
          {PRODUCT_NAME}'s use and transfer of information received from Google APIs adheres to the{" "}
          <a href={GOOGLE_POLICY} rel="noreferrer" className="text-text underline underline-offset-4">
            Google API Services User Data Policy
          </a>
          , including the Limited Use requirements: we use it only for what you see on the Gmail page; we don't transfer
          it to others, except where the law or security requires it; we don't use it for advertising; we don't use it
          to train models; and no person reads it, unless you ask us to look at particular messages, or security or the
          law requires it.
        </p>
        <p>
          To stop, press Disconnect Gmail on the{" "}
          <Link to="/gmail-sync" className="text-text underline underline-offset-4">
            Gmail page
          </Link>
          : we revoke our access at Google and delete what we read. Deleting your account does the same. You can also
          remove our access in{" "}
          <a
            href="https://myaccount.google.com/connections"
            rel="noreferrer"
            className="text-text underline underline-offset-4"
          >
            your Google account
          </a>
          ; what we read before then stays until you disconnect or delete your account.
        </p>
      </Part>

      <Part id="cookies" title="Cookies and storage">
        <p>
          Cookies keep you logged in (30 days), recognize a browser that you logged in with (400 days), give this
          browser access to its support conversation (180 days) and, if you connect Gmail without logging in, to that
          mailbox (180 days), and remember that you closed an announcement (30 days). Short-lived cookies bind the use
          of a passkey to this browser (one day), make pages show you your last change (one hour), protect the
          connection to Google (10 minutes), remember that your password was right until you enter the second step of a
          login (5 minutes), and carry a message to the next page (one minute).
        </p>
        <p>
          Your browser's storage keeps the theme, the height of table rows, your session, the support conversation's ID
          with unsent messages and sound settings, whether you've seen the introduction, and, until you close the tab,
          what you typed into forms, the end of your support conversation and the link that opened the app. The app
          keeps a copy of the session in its own settings. Nothing tracks you across other sites.
        </p>
      </Part>

      <Part id="rights" title="See it, download it, delete it">
        <p>
          On your{" "}
          <Link to="/dashboard/account" className="text-text underline underline-offset-4">
            account page
          </Link>{" "}
          you can download your data as one file and change your name and email address. The file leaves out secrets,
          such as password hashes, our team's notes on your support conversation, and the contents of files, which you
          download one by one.
        </p>
        <p>
          <Link to="/account/delete" className="text-text underline underline-offset-4">
            Deleting your account
          </Link>{" "}
          removes your name, email address, password, passkeys, sessions, API keys, webhooks, favorites, support
          conversation, uploads, Gmail connection and everything we read from it. Orders that haven't started are
          canceled. What is deleted stays in our encrypted backups for up to 8 weeks. If we ever restore one, your
          account is deleted again.
        </p>
        <p>
          We keep a record of orders (service, quantity, delivery, charge, date, status and the provider's order
          number), redeemed codes, card payments with Stripe's reference, ledger entries and our team's actions on them,
          because the books must balance. They are kept under an anonymous ID, without links, other details and reasons.
          Providers may keep what they already received. A hash of your email address stays, so that no import of old
          data brings your account back. If an email to you was returned or reported as spam, another one stays, so that
          we don't write to it again.
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
