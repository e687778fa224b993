import { Outlet } from "@remix-run/react";
import { Gated } from "#app/native/gate/gate-provider.tsx";

/** Wraps every page behind the app's gate, see `app/routes.ts`. */
export default function GatedLayout() {
  return (
    <Gated>
      <Outlet />
    </Gated>
  );
}
