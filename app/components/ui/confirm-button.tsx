import type { FetcherWithComponents } from "@remix-run/react";
import { type ReactNode, useRef, useState } from "react";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import { Button, type ButtonProps } from "./button.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";

export type ConfirmButtonProps = Pick<ButtonProps, "variant" | "busy" | "className" | "title"> & {
  sender: Pick<FetcherWithComponents<unknown>, "Form">;
  /** The URL that the form posts to. Defaults to the current page. */
  action?: string;
  fields: Record<string, string>;
  button: ReactNode;
  /** The accessible name, if the text alone is ambiguous. */
  label?: string | undefined;
  question: string;
  description: ReactNode;
  /** The text of the button that confirms. */
  confirm: string;
  confirmVariant?: "primary" | "danger";
  /** The route asks for a recent proof of who the person is: another dialog asks after this one, before the form is sent. */
  asksIdentity?: boolean;
  keep?: string;
  /** Shows nothing in a browser without scripts: the row links to a page with the same button. */
  isInList?: boolean;
  /** Further fields for a browser without scripts, which replace those of `fields` with the same name. */
  children?: ReactNode;
};

/** A one-button form that asks for confirmation. Without scripts, the question opens below the button. */
export function ConfirmButton({
  sender,
  action,
  fields,
  button,
  label,
  question,
  description,
  confirm,
  confirmVariant = "danger",
  asksIdentity = false,
  keep = "Keep it",
  isInList = false,
  variant = "quiet",
  className = "",
  children,
  ...rest
}: ConfirmButtonProps) {
  const [isAsking, setIsAsking] = useState(false);
  const isHydrated = useIsHydrated();
  const heldForm = useRef<HTMLFormElement>(null);
  const close = () => setIsAsking(false);
  const hidden = Object.entries(fields).map(([name, value]) => (
    <input key={name} type="hidden" name={name} value={value} />
  ));
  const form = (actions: ReactNode) => (
    <sender.Form method="post" action={action} preventScrollReset onSubmit={close}>
      {hidden}
      {actions}
    </sender.Form>
  );
  const confirmButton = (
    <Button type="submit" variant={confirmVariant}>
      {confirm}
    </Button>
  );
  const keepButton = (
    <Button variant="secondary" onClick={close}>
      {keep}
    </Button>
  );
  function closeAndSend() {
    close();
    heldForm.current?.requestSubmit();
  }
  return (
    <>
      <Button
        {...rest}
        variant={variant}
        onClick={() => setIsAsking(true)}
        aria-label={label}
        className={`${className} noscript:hidden`}
      >
        {button}
      </Button>
      {!isHydrated && !isInList && (
        <details className="hidden text-sm whitespace-normal noscript:block">
          <summary aria-label={label} className="flex min-h-11 items-center gap-2 px-3.5 font-medium sm:min-h-9">
            {button}
          </summary>
          <p className="mb-2 max-w-prose text-muted">{description}</p>
          {form(
            <>
              {children}
              {confirmButton}
            </>,
          )}
        </details>
      )}
      <Dialog open={isAsking} onOpenChange={setIsAsking} title={question} description={description}>
        {asksIdentity ? (
          <DialogActions>
            {keepButton}
            <Button variant={confirmVariant} onClick={closeAndSend}>
              {confirm}
            </Button>
          </DialogActions>
        ) : (
          form(
            <DialogActions>
              {keepButton}
              {confirmButton}
            </DialogActions>,
          )
        )}
      </Dialog>
      {/* Outside of the dialog, which is closed while the proof is asked for. */}
      {asksIdentity && isHydrated && (
        <sender.Form ref={heldForm} method="post" action={action} preventScrollReset hidden data-asks-identity>
          {hidden}
        </sender.Form>
      )}
    </>
  );
}
