import { useEffect } from "react";

/** Moves the focus to what is said of the form as a whole. Conform does so only for single fields. */
export function useFocusOnRefusal(form: { errors: string[] | undefined; errorId: string }): void {
  const { errors, errorId } = form;
  useEffect(() => {
    if (errors) document.getElementById(errorId)?.focus();
  }, [errors, errorId]);
}
