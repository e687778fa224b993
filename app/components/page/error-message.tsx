import { Form, type FormProps, isRouteErrorResponse, useNavigation } from "@remix-run/react";
import { useState } from "react";
import { type SentForm, unansweredForm } from "#app/components/forms/unanswered-form.ts";
import { Button, ButtonLink } from "#app/components/ui/button.tsx";
import { useOwnAddress } from "#app/components/ui/use-own-address.ts";
import { NotFound } from "./not-found.tsx";

/** The error page: what happened, what to do next, and the request ID for finding it in the logs. */
export function ErrorMessage({ error, requestId }: { error: unknown; requestId: string | null }) {
  const address = useOwnAddress();
  const [sent] = useState(unansweredForm);
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFound />;
  const status = isRouteErrorResponse(error) ? error.status : 500;
  const ours = status >= 500;
  const isBusy = status === 503;
  const unanswered = isBusy ? sent : null;
  const tooLarge = isRouteErrorResponse(error) && status === 413 && typeof error.data === "string" ? error.data : null;
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-frame flex-1 px-4 py-20 outline-none sm:px-6">
      <p className="font-mono text-sm text-muted">{status}</p>
      <h1 className="mt-2 text-3xl">
        {isBusy
          ? "Our database isn't answering at the moment"
          : ours
            ? "Something went wrong on our side"
            : "We couldn't process this request"}
      </h1>
      <p className="mt-3 max-w-prose text-muted">
        {unanswered && "Your form may have been processed. Wait a few seconds and send it again: it takes effect once."}
        {ours && !unanswered && "If you sent a form, check whether it was processed before you send it again."}
        {!ours && (tooLarge ?? "Something in it was missing or invalid.")}
        {!ours && " Nothing changed."}
        {isBusy && !unanswered && " Wait a few seconds."}
        {tooLarge === null && !unanswered && " Reload the page."}
        {tooLarge === null && " If it keeps failing, contact support with the request ID."}
      </p>
      {requestId && (
        <p className="mt-4 text-sm">
          Request ID <code className="ml-1 font-mono break-all">{requestId}</code>
        </p>
      )}
      <div className="mt-8 flex flex-wrap gap-3">
        {unanswered && <SendAgain form={unanswered} />}
        {/* A whole page load: what failed may be the scripts. */}
        <ButtonLink to={address} variant={unanswered ? "secondary" : "primary"} reloadDocument>
          Reload
        </ButtonLink>
        <ButtonLink to="/" variant="secondary" reloadDocument>
          Go to the home page
        </ButtonLink>
      </div>
    </main>
  );
}

/** Sends a form that got no answer with the same key. The page that is opened again would give it a new one. */
function SendAgain({ form: { action, encType, fields } }: { form: SentForm }) {
  const isBusy = useNavigation().state !== "idle";
  return (
    // The proof of who the person is may have become too old meanwhile.
    <Form method="post" action={action} encType={encType as FormProps["encType"]} data-asks-identity>
      {fields.map(([name, value], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name may be there several times, and the fields never change
        <input key={at} type="hidden" name={name} value={value} />
      ))}
      <Button type="submit" busy={isBusy}>
        Send the form again
      </Button>
    </Form>
  );
}
