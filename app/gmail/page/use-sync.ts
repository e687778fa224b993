import { useState } from "react";
import { toast } from "#app/components/toast/toast.tsx";
import { postFunction } from "./post-function.ts";

const MAX_MESSAGES = 100;

/** Runs a sync and shows the result in a toast. */
export function useSync({
  userId,
  accessToken,
  onEnd,
}: {
  userId: string;
  accessToken: () => string | null;
  onEnd: () => void;
}): { syncing: boolean; sync: () => Promise<void> } {
  const [syncing, setSyncing] = useState(false);
  async function sync() {
    setSyncing(true);
    try {
      const response = await postFunction("gmail-sync", accessToken(), {
        userId,
        syncType: "initial",
        maxMessages: MAX_MESSAGES,
      });
      if (response.error === undefined) {
        const description = response.message || "Gmail sync completed successfully";
        toast.success("Sync completed", { description });
      } else {
        const description = response.error || "Failed to start Gmail sync";
        toast.error("Sync failed", { description });
      }
    } catch (error) {
      const description = error instanceof Error ? error.message : String(error);
      toast.error("Sync error", { description });
    } finally {
      setSyncing(false);
      onEnd();
    }
  }
  return { syncing, sync };
}
