import { useState } from "react";
import { toast } from "sonner";
import { postFunction, TITLED_TOAST_MS } from "./post-function.ts";

const MAX_MESSAGES = 100;

/** Runs a sync and says how it ended. */
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
      const answer = await postFunction("gmail-sync", accessToken(), {
        userId,
        syncType: "initial",
        maxMessages: MAX_MESSAGES,
      });
      if (answer.error === undefined) {
        const description = answer.message || "Gmail sync completed successfully";
        toast.success("Sync completed", { description, duration: TITLED_TOAST_MS });
      } else {
        const description = answer.error || "Failed to start Gmail sync";
        toast.error("Sync failed", { description, duration: TITLED_TOAST_MS });
      }
    } catch (error) {
      const description = error instanceof Error ? error.message : String(error);
      toast.error("Sync error", { description, duration: TITLED_TOAST_MS });
    } finally {
      setSyncing(false);
      onEnd();
    }
  }
  return { syncing, sync };
}
