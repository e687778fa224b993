import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { watchFailedRequests } from "#app/components/page/failed-request.ts";
import { watchNetwork } from "#app/native/network/watch-network.ts";

watchNetwork();
watchFailedRequests();
// In a task of its own, so that an input can come between: reading the modules has been a long one by then.
setTimeout(async () => {
  await dataIsHere();
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
 * RemixBrowser throws the promise of the page's data until it has read them. Inside of a root that is being hydrated, a
 * click meanwhile would make React give the page up for good (its error 345, remix-run/remix#10214).
 */
async function dataIsHere(): Promise<void> {
  try {
    RemixBrowser({});
  } catch (waited) {
    await waited;
  }
}
