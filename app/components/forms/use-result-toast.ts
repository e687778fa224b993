import { useEffect } from "react";
import { toast } from "#app/components/toast/toast.tsx";
import type { FormResult } from "./form-result.ts";

/** Shows the message of each new result as a toast. */
export function useResultToast(result: Pick<FormResult, "ok" | "message"> | null | undefined): void {
  useEffect(() => {
    if (!result?.message) return;
    if (result.ok) toast.success(result.message);
    else toast.error(result.message);
  }, [result]);
}
