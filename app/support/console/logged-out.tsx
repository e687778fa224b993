import { useLocation } from "@remix-run/react";
import LogOut from "lucide-react/icons/log-out";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";

/** Replaces the console when its session has ended elsewhere, so that the screen shows no conversations. */
export function LoggedOut() {
  const { pathname, search } = useLocation();
  const logIn = `/auth/login?${new URLSearchParams({ redirectTo: pathname + search })}`;
  return (
    <main id="main" tabIndex={-1} className="outline-none">
      <h1 className="sr-only">Console</h1>
      <div role="alert">
        <EmptyState
          icon={LogOut}
          title="You're logged out"
          action={
            <ButtonLink reloadDocument to={logIn}>
              Log in
            </ButtonLink>
          }
        >
          Your session ended. Log in to see conversations again.
        </EmptyState>
      </div>
    </main>
  );
}
