import type { FetcherWithComponents } from "@remix-run/react";
import { type MouseEvent, type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { Dialog, DialogActions } from "./dialog.tsx";

export type AskBeforeProps = {
  sender: FetcherWithComponents<unknown>;
  fields: Record<string, string>;
  button: ReactNode;
  /** The button's name for who does not see what it stands beside. */
  label: string;
  busy?: boolean;
  title: string;
  description: ReactNode;
  /** On the button that does it. */
  confirm: string;
};

/** A form of one button that asks before it is sent. Without scripts it is sent at once. */
export function AskBefore({ sender, fields, button, label, busy, title, description, confirm }: AskBeforeProps) {
  const [asking, setAsking] = useState(false);
  const hidden = Object.entries(fields).map(([name, value]) => (
    <input key={name} type="hidden" name={name} value={value} />
  ));

  function ask(event: MouseEvent) {
    event.preventDefault();
    setAsking(true);
  }

  return (
    <>
      <sender.Form method="post">
        {hidden}
        <Button type="submit" variant="quiet" busy={busy} onClick={ask} aria-label={label} data-waits>
          {button}
        </Button>
      </sender.Form>
      <Dialog open={asking} onOpenChange={setAsking} title={title} description={description}>
        <sender.Form method="post" onSubmit={() => setAsking(false)}>
          {hidden}
          <DialogActions>
            <Button variant="secondary" onClick={() => setAsking(false)}>
              Keep it
            </Button>
            <Button type="submit" variant="danger">
              {confirm}
            </Button>
          </DialogActions>
        </sender.Form>
      </Dialog>
    </>
  );
}
