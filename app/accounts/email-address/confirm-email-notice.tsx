import { Form } from "@remix-run/react";

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
