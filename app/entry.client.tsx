import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { ignoreAbortedRequests, watchFailedRequests } from "#app/components/page/failed-request.ts";
import { watchNetwork } from "#app/native/network/watch-network.ts";

watchNetwork();
watchFailedRequests();
ignoreAbortedRequests();
// In a task of its own: evaluating the modules was a long one, and input should be handled between the two.
setTimeout(async () => {
  await pageDataArrives();
  startTransition(() => {
    hydrateRoot(
      document,
      <StrictMode>
        <RemixBrowser />
      </StrictMode>,
    );
  });
});

/**
 * Waits for the page's data. Until it has arrived, RemixBrowser suspends by throwing its promise; a click while the root
 * that is being hydrated is suspended makes React drop the whole page (its error 345, remix-run/remix#10214).
 */
async function pageDataArrives(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (pending) {
    await pending;
  }
}
