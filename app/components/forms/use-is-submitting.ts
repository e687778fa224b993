import { useNavigation } from "@remix-run/react";

/** Returns whether the page is submitting the form with this `intent`. */
export function useIsSubmitting(intent: string): boolean {
  const { formData, state } = useNavigation();
  return state !== "idle" && formData?.get("intent") === intent;
}
