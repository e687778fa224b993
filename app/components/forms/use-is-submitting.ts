import { type FetcherWithComponents, useNavigation } from "@remix-run/react";

/** The fetcher that submits a form, if the page does not navigate with it. */
export type Sender = Pick<FetcherWithComponents<unknown>, "Form" | "state" | "formData" | "formAction" | "data">;

/** Returns whether the page, or `sender`, is submitting the form with this intent, these `fields` and this `action`. */
export function useIsSubmitting(
  intent: string,
  {
    fields = {},
    action,
    sender,
  }: {
    fields?: Record<string, string | number> | undefined;
    action?: string | undefined;
    sender?: Omit<Sender, "Form" | "data"> | undefined;
  } = {},
): boolean {
  const navigation = useNavigation();
  const { state, formData, formAction } = sender ?? navigation;
  if (state === "idle" || !formData || (formData.get("intent") ?? "") !== intent) return false;
  if (action !== undefined && formAction !== action) return false;
  return Object.entries(fields).every(([name, value]) => formData.get(name) === String(value));
}
