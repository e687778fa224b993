import { RemixBrowser } from "@remix-run/react";
import { StrictMode, startTransition } from "react";
import { hydrateRoot } from "react-dom/client";
import { watchFailedRequests } from "#app/components/failed-request.ts";
import { watchNetwork } from "#app/native/network.ts";

watchNetwork();
watchFailedRequests();

startTransition(() => {
  hydrateRoot(
    document,
    <StrictMode>
      <RemixBrowser />
    </StrictMode>,
  );
});
