import { Form } from "@remix-run/react";

/** Stands in for the card form until the email address is confirmed. The new link leads on to `next`. */
export function ConfirmEmailForCards({ email, next }: { email: string; next: string }) {
  return (
    <Form method="post" action="/account/verify-email" className="text-sm break-words">
      <input type="hidden" name="next" value={next} />
      To pay by card, first confirm your email address: open the link we sent to {email}.{" "}
      <button type="submit" name="intent" value="resend" className="cursor-pointer underline underline-offset-4">
        Send a new link
      </button>
    </Form>
  );
}

/** The notice above each dashboard page until the account's email address is confirmed. */
export function ConfirmEmailNotice({ email }: { email: string }) {
  return (
    <Form
      method="post"
      action="/account/verify-email"
      className="mb-6 rounded-md bg-warn-wash px-3 py-2.5 text-sm break-words text-warn print:hidden"
    >
      Confirm your email address: open the link we sent to {email}. Until then, live API keys, webhooks and card
      payments are off.{" "}
      <button type="submit" name="intent" value="resend" className="cursor-pointer underline underline-offset-4">
        Send a new link
      </button>
    </Form>
  );
}
