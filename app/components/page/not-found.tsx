import { ButtonLink } from "#app/components/ui/button.tsx";

export function NotFound() {
  return (
    <main id="main" tabIndex={-1} className="mx-auto w-full max-w-frame flex-1 px-4 py-20 outline-none sm:px-6">
      <p className="font-mono text-sm text-muted">404</p>
      <h1 className="mt-2 text-3xl">Page not found</h1>
      <p className="mt-3 max-w-prose text-muted">Check the address for typos. The page may also have moved.</p>
      <div className="mt-8 flex flex-wrap gap-3">
        <ButtonLink to="/">Go to the home page</ButtonLink>
        <ButtonLink to="/dashboard" variant="secondary">
          Open the dashboard
        </ButtonLink>
      </div>
    </main>
  );
}
