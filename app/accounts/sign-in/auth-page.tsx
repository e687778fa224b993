import type { ReactNode } from "react";

/** The layout of the log-in, sign-up and password pages: one narrow column. */
export function AuthPage({ title, lead, children }: { title: string; lead: string; children: ReactNode }) {
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-104 flex-1 px-4 py-12 outline-none sm:py-20">
      <h1 className="text-2xl">{title}</h1>
      <p className="mt-2 text-sm text-muted">{lead}</p>
      <div className="mt-8">{children}</div>
    </main>
  );
}

export function authPath(path: string, redirectTo: string): string {
  return redirectTo === AFTER_SIGN_IN ? path : `${path}?${new URLSearchParams({ redirectTo })}`;
}

export const AFTER_SIGN_IN = "/dashboard";
