import { useFetcher } from "@remix-run/react";
import { ConfirmButton, type ConfirmButtonProps } from "#app/components/ui/confirm-button.tsx";

/** Deletes a file or an unfinished upload. Has a fetcher of its own, so that only its own button is busy. */
export function RemoveUploadButton({
  intent,
  id,
  ...words
}: { intent: "delete" | "abort"; id: string } & Omit<ConfirmButtonProps, "sender" | "fields">) {
  const sender = useFetcher();
  return <ConfirmButton {...words} sender={sender} fields={{ intent, id }} busy={sender.state !== "idle"} />;
}
