import { type ComponentProps, lazy, Suspense } from "react";
import { useIsHydrated } from "#app/components/hydration/use-is-hydrated.ts";
import type { PushOffer } from "./push-offer.tsx";

/** One that can't be loaded is left out. */
const Offer = lazy(() =>
  import("./push-offer.tsx").then(
    ({ PushOffer }) => ({ default: PushOffer }),
    () => ({ default: () => null }),
  ),
);

/** The offer, loaded once a page shows it. */
export function LazyPushOffer(props: ComponentProps<typeof PushOffer>) {
  // The server doesn't know whether the browser has notifications.
  if (!useIsHydrated()) return null;
  return (
    <Suspense>
      <Offer {...props} />
    </Suspense>
  );
}
